// NCCL at its strictest, for tests: one stream per worker, no buffers inside, no tags.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/gpu/transfer.h"

namespace harness {

/// Operations of a stream run in order. Only the first of a stream can complete, and only with its match
/// first in the peer's stream (a broadcast: in those of all members): same channel, opposite direction;
/// what is meant by it plays no part, as in NCCL. A value. Workers are 0 .. n-1.
class FakeNccl {
 public:
  enum class Kind : std::uint8_t { kSend, kReceive, kBroadcast };
  struct Operation {
    Kind kind = Kind::kSend;
    ChannelId channel = 0;
    WorkerId peer = 0;  ///< a broadcast's: the root
    std::uint64_t ticket = 0;
    std::string bytes = {};  ///< sent
  };
  struct End {
    std::uint64_t ticket = 0;
    bool well = true;
    std::string bytes = {};  ///< received
  };

  explicit FakeNccl(std::size_t workers) : streams_(workers), ended_(workers), aborted_(workers) {}

  void open(ChannelId channel, std::vector<WorkerId> members) { members_[channel] = std::move(members); }

  void enqueue(WorkerId worker, Operation operation) {
    if (aborted_[worker].contains(operation.channel))
      ended_[worker].push_back({operation.ticket, false, {}});
    else
      streams_[worker].push_back(std::move(operation));
  }

  /// Workers at whose stream's head a group can complete; one for each group.
  std::vector<WorkerId> ready() const {
    std::vector<WorkerId> found;
    for (WorkerId worker = 0; worker < streams_.size(); ++worker)
      if (!streams_[worker].empty() && leads(worker)) found.push_back(worker);
    return found;
  }

  /// Completes the group of ready()'s worker, and returns its members.
  std::vector<WorkerId> complete(WorkerId leader) {
    const Operation first = streams_[leader].front();
    const std::vector<WorkerId> group = group_of(leader, first);
    for (const WorkerId worker : group) {
      const Operation& operation = streams_[worker].front();
      const bool receives =
          operation.kind == Kind::kReceive || (operation.kind == Kind::kBroadcast && worker != leader);
      ended_[worker].push_back({operation.ticket, true, receives ? first.bytes : std::string()});
    }
    for (const WorkerId worker : group) streams_[worker].erase(streams_[worker].begin());
    return group;
  }

  void abort(WorkerId worker, ChannelId channel) {
    aborted_[worker].insert(channel);
    for (const Operation& operation : streams_[worker])
      if (operation.channel == channel) ended_[worker].push_back({operation.ticket, false, {}});
    std::erase_if(streams_[worker], [&](const Operation& operation) { return operation.channel == channel; });
  }
  /// The first operation of the stream fails, and with it the worker's end of the communicator.
  void break_first(WorkerId worker) { abort(worker, streams_[worker].front().channel); }
  /// The worker has stopped: it takes part in nothing any more.
  void lose(WorkerId worker) {
    streams_[worker].clear();
    ended_[worker].clear();
  }

  bool has_ended(WorkerId worker) const { return !ended_[worker].empty(); }
  End take(WorkerId worker) {
    End end = std::move(ended_[worker].front());
    ended_[worker].erase(ended_[worker].begin());
    return end;
  }
  const std::vector<Operation>& stream(WorkerId worker) const { return streams_[worker]; }

  void append_state(std::vector<std::uint64_t>& words) const {
    for (std::size_t worker = 0; worker < streams_.size(); ++worker) {
      words.push_back(streams_[worker].size());
      for (const Operation& operation : streams_[worker]) words.push_back(operation.ticket);
      words.push_back(ended_[worker].size());
      for (const End& end : ended_[worker]) words.insert(words.end(), {end.ticket, std::uint64_t{end.well}});
      words.push_back(aborted_[worker].size());
      words.insert(words.end(), aborted_[worker].begin(), aborted_[worker].end());
    }
  }

 private:
  /// Whether the worker is the sender (the root) of a group of which all are first in their streams.
  bool leads(WorkerId worker) const {
    const Operation& first = streams_[worker].front();
    if (first.kind == Kind::kReceive || (first.kind == Kind::kBroadcast && first.peer != worker))
      return false;
    return std::ranges::all_of(group_of(worker, first), [&](WorkerId member) {
      if (member == worker) return true;
      if (streams_[member].empty()) return false;
      const Operation& other = streams_[member].front();
      const Kind wanted = first.kind == Kind::kBroadcast ? Kind::kBroadcast : Kind::kReceive;
      return other.kind == wanted && other.channel == first.channel && other.peer == worker;
    });
  }
  std::vector<WorkerId> group_of(WorkerId worker, const Operation& first) const {
    if (first.kind == Kind::kBroadcast) return members_.at(first.channel);
    return {worker, first.peer};
  }

  std::vector<std::vector<Operation>> streams_;
  std::vector<std::vector<End>> ended_;
  std::vector<std::set<ChannelId>> aborted_;
  std::map<ChannelId, std::vector<WorkerId>> members_;
};

}  // namespace harness

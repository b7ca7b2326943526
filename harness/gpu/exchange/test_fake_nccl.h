// NCCL at its strictest, for tests: one stream per worker, no buffers inside, no tags.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/gpu/exchange/transfer.h"

namespace harness {

/// An NCCL in which the operations of a stream run in order. Only a stream's first operation can complete,
/// and only if its match is first in the peer's stream: same channel, opposite direction. As in NCCL, the
/// meaning of an operation plays no part. It is a value. Workers are 0 .. n-1.
class FakeNccl {
 public:
  enum class Kind : std::uint8_t { kSend, kReceive };
  struct Operation {
    Kind kind = Kind::kSend;
    ChannelId channel = 0;
    WorkerId peer = 0;
    std::uint64_t ticket = 0;
    std::string bytes = {};  ///< bytes that are sent
  };
  struct End {
    std::uint64_t ticket = 0;
    bool well = true;
    std::string bytes = {};  ///< bytes that were received
  };

  explicit FakeNccl(std::size_t workers) : streams_(workers), ended_(workers), aborted_(workers) {}

  void enqueue(WorkerId worker, Operation operation) {
    if (aborted_[worker].contains(operation.channel))
      ended_[worker].push_back({operation.ticket, false, {}});
    else
      streams_[worker].push_back(std::move(operation));
  }

  /// Returns the senders whose stream begins with an operation that can complete.
  std::vector<WorkerId> ready() const {
    std::vector<WorkerId> found;
    for (WorkerId worker = 0; worker < streams_.size(); ++worker)
      if (!streams_[worker].empty() && leads(worker)) found.push_back(worker);
    return found;
  }

  /// Completes the first operation of ready()'s worker, and returns its peer.
  WorkerId complete(WorkerId sender) {
    Operation sent = std::move(streams_[sender].front());
    streams_[sender].erase(streams_[sender].begin());
    std::vector<Operation>& peers = streams_[sent.peer];
    ended_[sender].push_back({sent.ticket, true, {}});
    ended_[sent.peer].push_back({peers.front().ticket, true, std::move(sent.bytes)});
    peers.erase(peers.begin());
    return sent.peer;
  }

  void abort(WorkerId worker, ChannelId channel) {
    aborted_[worker].insert(channel);
    for (const Operation& operation : streams_[worker])
      if (operation.channel == channel) ended_[worker].push_back({operation.ticket, false, {}});
    std::erase_if(streams_[worker], [&](const Operation& operation) { return operation.channel == channel; });
  }
  /// Fails the first operation of the stream, and with it the worker's end of the communicator.
  void break_first(WorkerId worker) { abort(worker, streams_[worker].front().channel); }

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
  /// True if the worker's first operation sends, and its peer's first operation receives it.
  bool leads(WorkerId worker) const {
    const Operation& first = streams_[worker].front();
    if (first.kind != Kind::kSend || streams_[first.peer].empty()) return false;
    const Operation& other = streams_[first.peer].front();
    return other.kind == Kind::kReceive && other.channel == first.channel && other.peer == worker;
  }

  std::vector<std::vector<Operation>> streams_;
  std::vector<std::vector<End>> ended_;
  std::vector<std::set<ChannelId>> aborted_;
};

}  // namespace harness

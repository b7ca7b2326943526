// For tests: the lanes of several workers over one shared fake NCCL.
#pragma once

#include <cstddef>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/check.h"
#include "harness/core/random_stream.h"
#include "harness/gpu/exchange/test_fake_nccl.h"
#include "harness/gpu/exchange/transfer_lane.h"

namespace harness {

/// The state that lanes share. Lanes of different threads may use it.
struct FakeLaneNet {
  FakeLaneNet(std::size_t workers, std::uint64_t seed) : nccl(workers), random(seed, "lanes") {}

  std::mutex mutex;
  FakeNccl nccl;
  RandomStream random;
  std::string why_not;  ///< reason why channels cannot be joined; empty: they can
  int breaks = 0;       ///< number of operations that are still to fail
  /// Called when the worker's lane has something to take; may be empty.
  std::function<void(WorkerId)> wake = {};
};

/// The lane of a worker. If `moves`, each take() completes an operation, of any worker, chosen at random; if
/// not, the test completes them.
class FakeLane final : public ChannelLane {
 public:
  FakeLane(FakeLaneNet& net, WorkerId worker, bool moves) : net_(net), worker_(worker), moves_(moves) {}

  void open(ChannelId channel, std::span<const std::byte> id, std::vector<WorkerId>) override {
    const std::lock_guard lock(net_.mutex);
    HARNESS_CHECK(text_of(id) == text_of(make_id()), "another channel's id");
    opened_.emplace_back(channel, net_.why_not);
    wake(worker_);
  }
  std::vector<std::pair<ChannelId, std::string>> opened() override { return std::exchange(opened_, {}); }

  void send(std::uint64_t ticket, ChannelId channel, WorkerId to, std::span<const std::byte> bytes) override {
    add({FakeNccl::Kind::kSend, channel, to, ticket, text_of(bytes)});
  }
  void receive(std::uint64_t ticket, ChannelId channel, WorkerId from, std::span<std::byte> bytes) override {
    targets_[ticket] = bytes;
    add({FakeNccl::Kind::kReceive, channel, from, ticket, {}});
  }
  void abort(ChannelId channel) override {
    const std::lock_guard lock(net_.mutex);
    net_.nccl.abort(worker_, channel);
    wake(worker_);
  }
  void take(std::vector<LaneEnd>& ended) override {
    const std::lock_guard lock(net_.mutex);
    if (moves_) move();
    while (net_.nccl.has_ended(worker_)) {
      const FakeNccl::End end = net_.nccl.take(worker_);
      const auto target = targets_.extract(end.ticket);
      if (!target.empty() && end.well) {
        HARNESS_CHECK(target.mapped().size() == end.bytes.size(), "a tensor of another size arrives");
        std::memcpy(target.mapped().data(), end.bytes.data(), end.bytes.size());
      }
      ended.push_back({end.ticket, end.well ? "" : "broken"});
    }
  }

  /// Is DeviceExchanges::make_channel_id; returns the same for every channel.
  static std::vector<std::byte> make_id() {
    const std::string id = "the id of a channel";
    const auto* bytes = reinterpret_cast<const std::byte*>(id.data());
    return {bytes, bytes + id.size()};
  }

 private:
  static std::string text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  void add(FakeNccl::Operation operation) {
    const std::lock_guard lock(net_.mutex);
    net_.nccl.enqueue(worker_, std::move(operation));
    wake(worker_);
  }
  void move() {
    const std::vector<WorkerId> ready = net_.nccl.ready();
    if (ready.empty()) return;
    const WorkerId leader = ready[net_.random.below(ready.size())];
    if (net_.breaks > 0 && net_.random.below(10) == 0) {
      --net_.breaks;
      net_.nccl.break_first(leader);
      wake(leader);
      return;
    }
    wake(net_.nccl.complete(leader));
    wake(leader);
  }
  void wake(WorkerId worker) {
    if (net_.wake) net_.wake(worker);
  }

  FakeLaneNet& net_;
  WorkerId worker_;
  bool moves_;
  std::map<std::uint64_t, std::span<std::byte>> targets_;
  std::vector<std::pair<ChannelId, std::string>> opened_;
};

}  // namespace harness

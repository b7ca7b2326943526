// For tests: the ranks of a live run in one thread and in virtual time, over a network with the given faults.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "harness/core/random_stream.h"
#include "harness/live/run/live_loop.h"
#include "harness/live/transport/test_transport.h"

namespace harness::testing {

/// Runs a cell on `ranks` ranks whose clock moves on only when nobody has anything to do: the live code,
/// deterministic and as fast as it goes.
class RanksInStep {
 public:
  RanksInStep(int ranks, TestFaults faults)
      : network_(ranks, std::move(faults), [this] { return now_ns_; }) {}

  /// The devices that run the batches and exchange tensors, in the time of now_ns().
  struct Devices {
    std::vector<DeviceWorkers*> by_rank;
    std::vector<DeviceExchanges*> exchanges;  ///< exchanges of each rank; empty: no rank has any
    std::function<TimeNs()> next_end_ns;      ///< time at which the next batch or transfer ends, or kNever
  };

  RunRecord run(const RunSpec& spec, const LiveRun& how, RowSink* rows = nullptr,
                const Devices* devices = nullptr) {
    loops_.clear();
    hows_.clear();
    devices_ = devices;
    for (int rank = 0; rank < network_.at(0).ranks(); ++rank) {
      LiveRun& own = hows_.emplace_back(how);
      own.plans_aside = false;
      if (devices != nullptr) own.devices = devices->by_rank[static_cast<std::size_t>(rank)];
      if (devices != nullptr && !devices->exchanges.empty())
        own.exchanges = devices->exchanges[static_cast<std::size_t>(rank)];
      loops_.emplace_back(spec, own, network_.at(rank), rank == 0 ? rows : nullptr,
                          [this] { return now_ns_; });
    }
    for (LiveLoop& loop : loops_) loop.begin();
    while (!over()) {
      if (!turn()) now_ns_ = std::max(now_ns_ + 1, next_ns() + late_ns_);
    }
    return loops_.front().close();
  }

  /// Lets every sleep end `late_ns` too late, as on a busy machine.
  void oversleep(TimeNs late_ns) { late_ns_ = late_ns; }
  TestNetwork& network() { return network_; }
  TimeNs now_ns() const { return now_ns_; }

 private:
  bool over() const {
    return std::all_of(loops_.begin(), loops_.end(), [](const LiveLoop& loop) { return loop.over(); });
  }
  bool turn() {
    bool busy = false;
    for (LiveLoop& loop : loops_) {
      if (!loop.over()) busy = loop.turn() || busy;
    }
    return busy;
  }
  TimeNs next_ns() {
    TimeNs next = network_.next_arrival_ns();
    if (devices_ != nullptr) next = std::min(next, devices_->next_end_ns());
    for (LiveLoop& loop : loops_) {
      if (!loop.over()) next = std::min(next, loop.wake_ns());
    }
    return next;
  }

  TimeNs now_ns_ = kNsPerS;
  TimeNs late_ns_ = 0;
  TestNetwork network_;
  const Devices* devices_ = nullptr;
  std::deque<LiveRun> hows_;
  std::deque<LiveLoop> loops_;
};

/// Gives the modules tensors of random sizes, some of 0 bytes; returns the way to run with them.
inline LiveRun with_tensors(RunSpec& spec) {
  RandomStream random(spec.seed, "with_tensors");
  for (Module& module : spec.pipeline.modules)
    module.input_bytes = random.below(5) == 0 ? 0 : static_cast<std::uint32_t>(1 + random.below(3000));
  LiveRun how;
  how.params.payload = true;
  return how;
}

inline void expect_no_tensors_left(const RunRecord& record) {
  for (const RankTotals& rank : record.ranks) EXPECT_EQ(rank.tensors_left, 0u) << "rank " << rank.rank;
}

}  // namespace harness::testing

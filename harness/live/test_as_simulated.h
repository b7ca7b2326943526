// For tests: live runs that must be the simulated ones, and random cells for them.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "harness/core/error.h"
#include "harness/live/test_ranks_in_step.h"
#include "harness/sim/simulation.h"
#include "harness/sim/test_world.h"

namespace harness::testing {

/// Expects the same counts of requests, visits and batches, and the same time on GPUs and in queues.
inline void expect_same_totals(const RunRecord& live, const RunRecord& simulated) {
  EXPECT_EQ(live.why_invalid, "");
  EXPECT_EQ(live.sent, simulated.sent);
  EXPECT_EQ(live.in_time, simulated.in_time);
  EXPECT_EQ(live.late, simulated.late);
  EXPECT_EQ(live.dropped, simulated.dropped);
  EXPECT_EQ(live.gpu_ns, simulated.gpu_ns);
  EXPECT_EQ(live.gpu_invalid_ns, simulated.gpu_invalid_ns);
  EXPECT_EQ(live.workers.size(), simulated.workers.size());
  for (std::size_t m = 0; m < simulated.modules.size(); ++m) {
    SCOPED_TRACE("module " + std::to_string(m));
    EXPECT_EQ(live.modules[m].arrived, simulated.modules[m].arrived);
    EXPECT_EQ(live.modules[m].done, simulated.modules[m].done);
    EXPECT_EQ(live.modules[m].dropped, simulated.modules[m].dropped);
    EXPECT_EQ(live.modules[m].batches, simulated.modules[m].batches);
    EXPECT_EQ(live.modules[m].preempted, simulated.modules[m].preempted);
    EXPECT_EQ(live.modules[m].queueing_ns, simulated.modules[m].queueing_ns);
    EXPECT_EQ(live.modules[m].wait_ns, simulated.modules[m].wait_ns);
  }
}

/// A cell that was run in both ways.
struct LiveAndSimulated {
  RunRecord live;
  RunRecord simulated;
};

/// Runs the cell live, on `ranks` ranks over a network without delay, and simulated; expects the same totals
/// and the same of every visit.
inline LiveAndSimulated run_live_and_simulated(const RunSpec& spec, int ranks, const LiveRun& how = {}) {
  RowKeeper live_rows;
  RowKeeper simulated_rows;
  LiveAndSimulated both{RanksInStep(ranks, {}).run(spec, how, &live_rows), simulate(spec, &simulated_rows)};
  expect_same_totals(both.live, both.simulated);
  EXPECT_TRUE(facts_of(live_rows) == facts_of(simulated_rows)) << "another course of visits";
  return both;
}

}  // namespace harness::testing

// AutoScale's rules in whole runs of inferline: the replicas that work and the ones that go.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "harness/sim/test_run.h"

namespace harness {
namespace {

using testing::Ran;

/// One model of 100 ms, planned coarse-grained for a sample of Poisson arrivals, 25/s for 100 s.
RunSpec autoscaled_cell(const std::string& signal, const std::vector<TimeNs>& sent) {
  RunSpec spec = testing::make_spec("inferline", testing::chain(1), {testing::linear_profile("m", 100, 0, 1)},
                                    {}, kNsPerS, sent, 100 * kNsPerS);
  PlanningTimes planning;
  planning.sample_ns = 100 * kNsPerS;
  planning.sample = testing::poisson_times(25, planning.sample_ns, 1);
  spec.planning = std::make_shared<const PlanningTimes>(planning);
  spec.workers = 20;
  spec.serving.queue = QueueScope::kModule;
  spec.serving.commit = Commit::kLate;
  testing::set_param(spec, "plan", std::string("coarse_mean"));
  testing::set_param(spec, "tuner", std::string("autoscale"));
  testing::set_param(spec, "autoscale_signal", signal);
  return spec;
}

// By hand: 25/s need three units of 10/s. A query each 400 ms, then also one 50 ms after it: the lowest
// replicas that are free take them. The last is never used, and it is the first that AutoScale takes away.
TEST(InferLineRun, AQueuePacksQueriesByIndexAndTheLastReplicasGo) {
  for (const std::string signal : {"rate", "in_system"}) {
    std::vector<TimeNs> sent;
    for (int i = 0; i < 250; ++i) {
      sent.push_back(i * 400 * kNsPerMs);
      if (i < 20) sent.push_back((i * 400 + 50) * kNsPerMs);
    }
    const Ran ran(autoscaled_cell(signal, sent));
    ASSERT_EQ(ran.record.workers.size(), 3u) << signal;
    for (const VisitRow& row : ran.rows.visit_rows)
      EXPECT_EQ(row.worker, row.request < 40 ? row.request % 2 : 0) << signal << ", query " << row.request;
    EXPECT_EQ(ran.record.workers[0].removed_ns, kNever) << signal;
    EXPECT_NE(ran.record.workers[1].removed_ns, kNever) << signal;
    EXPECT_LE(ran.record.workers[2].removed_ns, ran.record.workers[1].removed_ns) << signal;
  }
}

// 60/s are twice what three units can serve: the queue grows, and with it what is inferred.
TEST(InferLineRun, InfersFromRequestsInTheSystemThatItNeedsMore) {
  const Ran ran(autoscaled_cell("in_system", testing::poisson_times(60, 100 * kNsPerS, 2)));
  EXPECT_GT(ran.record.workers.size(), 6u);
}

// Planned for 25/s and sent as much: from one replica to the plan with the first look at the load, at 1 s,
// and one start-up later. What waited is served then.
TEST(InferLineRun, GoesUpToItsPlanFromAStartOfOneReplica) {
  RunSpec spec = autoscaled_cell("rate", testing::poisson_times(25, 100 * kNsPerS, 1));
  testing::set_param(spec, "plan", std::string("greedy"));
  testing::set_param(spec, "tuner", std::string("envelope"));
  spec.world.cold_start_ms = 5000;
  const Ran planned(spec);
  ASSERT_GE(planned.record.workers.size(), 3u);
  EXPECT_EQ(planned.record.plans.front().workers, planned.record.workers.size()) << "it never needs more";
  spec.planner.initial_workers = 1;
  const Ran small(spec);
  EXPECT_EQ(small.record.plans.front().workers, 1u);
  EXPECT_EQ(small.record.workers.size(), planned.record.workers.size());
  for (std::size_t i = 1; i < small.record.workers.size(); ++i)
    EXPECT_EQ(small.record.workers[i].ready_ns, 6 * kNsPerS);
  EXPECT_EQ(small.record.dropped, 0u);
  EXPECT_LT(small.record.in_time, planned.record.in_time);
  EXPECT_GT(small.record.in_time, planned.record.in_time / 2);
}

}  // namespace
}  // namespace harness

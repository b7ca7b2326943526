// AutoScale's rules in whole runs of inferline: which replicas work, and which go.
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

}  // namespace
}  // namespace harness

#include "systems/loki/allocation.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "harness/core/task_spec.h"
#include "systems/loki/test_allocation_check.h"
#include "systems/loki/test_loki_cases.h"

namespace harness {
namespace {

void expect_sound(const AllocationProblem& problem, const Allocation& plan) {
  EXPECT_TRUE(plan.feasible);
  EXPECT_TRUE(plan.optimal);
  EXPECT_EQ(check_allocation(problem, plan), std::vector<std::string>{});
}

// 150 requests/s and 300 visits/s: 1.5 workers each.
TEST(LokiAllocation, ScalesHardwareByHand) {
  LokiCase made(make_by_hand);
  made.problem.workers = 4;
  made.problem.demand_rps = 150;
  Allocation plan = scale_hardware(made.problem);
  expect_sound(made.problem, plan);
  EXPECT_EQ(plan.workers, (std::vector<int>{2, 0, 2, 0}));
  EXPECT_EQ(plan.batch, (std::vector<int>{1, 1, 1, 1}));
  EXPECT_DOUBLE_EQ(plan.accuracy, 1);
  ASSERT_EQ(plan.flows.size(), 1U);
  EXPECT_EQ(plan.flows[0].path, (std::vector<ModuleId>{0, 2}));
  made.problem.demand_rps = 100;  // exactly one worker each
  EXPECT_EQ(scale_hardware(made.problem).workers, (std::vector<int>{1, 0, 1, 0}));
  made.problem.demand_rps = 0;  // whoever comes is served
  EXPECT_EQ(scale_hardware(made.problem).workers, (std::vector<int>{1, 0, 1, 0}));
  made.problem.demand_rps = 150;
  made.problem.workers = 3;
  plan = scale_hardware(made.problem);
  EXPECT_FALSE(plan.feasible);
  EXPECT_TRUE(plan.optimal);
  EXPECT_EQ(plan.total_workers(), 0);
}

// Three workers: two big ones and a fast one carry 150 with 0.9; with one big one at most 0.867.
TEST(LokiAllocation, ScalesAccuracyByHand) {
  LokiCase made(make_by_hand);
  made.problem.workers = 3;
  made.problem.demand_rps = 150;
  Allocation plan = scale_accuracy(made.problem);
  expect_sound(made.problem, plan);
  EXPECT_EQ(plan.workers, (std::vector<int>{2, 0, 0, 1}));
  EXPECT_NEAR(plan.accuracy, 0.9, 1e-9);
  // Two workers: small 1, and of 150 visits/s the best one could serve 200.
  made.problem.workers = 2;
  plan = scale_accuracy(made.problem);
  expect_sound(made.problem, plan);
  EXPECT_EQ(plan.workers, (std::vector<int>{0, 1, 1, 0}));
  EXPECT_NEAR(plan.accuracy, 0.8, 1e-9);
  // Enough for the best: no more workers than hardware scaling takes.
  made.problem.workers = 20;
  plan = scale_accuracy(made.problem);
  EXPECT_EQ(plan.workers, (std::vector<int>{2, 0, 2, 0}));
}

// S = 3, D = 180, classifiers that are always best: x of the requests through the one big worker. Its
// classifier's limit 180 (1 + x) <= 200 binds: x = 1/9, accuracy 1/9 + 0.8 x 8/9.
TEST(LokiAllocation, SplitsRequestsOverPaths) {
  LokiCase made(make_by_hand);
  made.problem.workers = 3;
  made.problem.demand_rps = 180;
  made.pipeline.modules[3].accuracy = 0.1;
  const Allocation plan = scale_accuracy(made.problem);
  expect_sound(made.problem, plan);
  EXPECT_EQ(plan.workers, (std::vector<int>{1, 1, 1, 0}));
  ASSERT_EQ(plan.flows.size(), 2U);
  EXPECT_NEAR(plan.flows[0].share, 1.0 / 9, 1e-5);
  EXPECT_NEAR(plan.accuracy, 1.0 / 9 + 0.8 * 8 / 9, 1e-5);
}

// 3 workers: two small ones and a fast one carry 400, which is what the sum of all work allows. With the best
// variants alone a third worker helps nobody.
TEST(LokiAllocation, FindsTheMostThroughput) {
  LokiCase made(make_by_hand);
  made.problem.workers = 3;
  Allocation plan = most_throughput(made.problem);
  expect_sound(made.problem, plan);
  EXPECT_NEAR(plan.demand_rps, 400, 1e-6);
  EXPECT_EQ(plan.workers, (std::vector<int>{0, 2, 0, 1}));
  plan = most_throughput(made.problem, {}, Variants::kMostAccurate);
  expect_sound(made.problem, plan);
  EXPECT_NEAR(plan.demand_rps, 100, 1e-6);
  made.problem.workers = 1;
  EXPECT_FALSE(most_throughput(made.problem).feasible);
  made.problem.workers = 3;
  made.problem.demand_rps = 401;
  EXPECT_FALSE(scale_accuracy(made.problem).feasible);
  made.problem.demand_rps = 400;
  EXPECT_TRUE(scale_accuracy(made.problem).feasible);
}

// Two tasks with 10 ms for one and 12 ms for two visits: 100 and 167 visits/s.
TEST(LokiAllocation, SharesTheLatencyLimitAmongTheTasks) {
  LokiCase made;
  std::vector<TaskSpec> tasks = {{"first", {"second"}, {}}, {"second", {}, {}}};
  made.variant(tasks[0], "a", 1, {1}, {10, 12});
  made.variant(tasks[1], "b", 1, {}, {10, 12});
  made.link(tasks);
  made.problem.workers = 10;
  made.problem.demand_rps = 160;
  for (const auto& [limit_ms, workers] :
       std::vector<std::pair<double, int>>{{24, 2}, {22, 3}, {21.9, 4}, {20, 4}}) {
    made.problem.latency_limit_ns = ms_to_ns(limit_ms);
    const Allocation plan = scale_hardware(made.problem);
    expect_sound(made.problem, plan);
    EXPECT_EQ(plan.total_workers(), workers) << limit_ms;
  }
  made.problem.latency_limit_ns = ms_to_ns(19.9);
  EXPECT_FALSE(scale_hardware(made.problem).feasible);
  EXPECT_FALSE(scale_accuracy(made.problem).feasible);
  EXPECT_FALSE(most_throughput(made.problem).feasible);
}

// Eq. 2 summed over the paths to both sinks would ask for two workers at the root.
TEST(LokiAllocation, CountsASharedTaskOnce) {
  LokiCase made;
  std::vector<TaskSpec> tasks = {{"root", {"left", "right"}, {}}, {"left", {}, {}}, {"right", {}, {}}};
  made.variant(tasks[0], "r", 1, {1, 0.5}, {10});
  made.variant(tasks[1], "l", 0.8, {}, {10});
  made.variant(tasks[2], "s", 0.6, {}, {10});
  made.link(tasks);
  made.problem.workers = 3;
  made.problem.demand_rps = 100;
  made.problem.latency_limit_ns = ms_to_ns(20);
  const Allocation plan = scale_hardware(made.problem);
  expect_sound(made.problem, plan);
  EXPECT_EQ(plan.workers, (std::vector<int>{1, 1, 1}));
  EXPECT_EQ(plan.flows.size(), 2U);
  EXPECT_NEAR(plan.accuracy, 0.7, 1e-12);  // the mean over the sinks
}

// Batches of one take 10 ms, of two 15; 25 ms allow two in one of the tasks, in either. One worker each does
// 90 requests/s whatever the batches, so that the solver may take any: the smallest are meant.
TEST(LokiAllocation, TakesTheSmallestBatchesOfThoseThatWillDo) {
  LokiCase made;
  std::vector<TaskSpec> tasks = {{"first", {"second"}, {}}, {"second", {}, {}}};
  made.variant(tasks[0], "a", 1, {1}, {10, 15});
  made.variant(tasks[1], "b", 1, {}, {10, 15});
  made.link(tasks);
  made.problem.batches = {1, 2};
  made.problem.workers = 4;
  made.problem.latency_limit_ns = ms_to_ns(25);
  for (const double demand_rps : {0.0, 90.0}) {
    made.problem.demand_rps = demand_rps;
    EXPECT_EQ(scale_accuracy(made.problem).batch, (std::vector<int>{1, 1})) << demand_rps;
  }
  // Two workers do 200/s one by one; 133/s need a batch of two where there is one worker.
  made.problem.workers = 3;
  made.problem.demand_rps = 130;
  const Allocation plan = scale_accuracy(made.problem);
  ASSERT_EQ(plan.total_workers(), 3);
  for (std::size_t m = 0; m < 2; ++m) EXPECT_EQ(plan.batch[m], plan.workers[m] == 2 ? 1 : 2);
}

// What a variant detects is what the next task gets: measured factors count, not the pipeline's.
TEST(LokiAllocation, UsesTheMeasuredFanOut) {
  LokiCase made(make_by_hand);
  made.problem.workers = 8;
  made.problem.demand_rps = 100;
  made.problem.fan_out[0][0] = 5;
  EXPECT_EQ(scale_hardware(made.problem).workers, (std::vector<int>{1, 0, 3, 0}));
}

TEST(LokiAllocation, LosesAccuracyAndTakesWorkersAsDemandGrows) {
  for (const bool traffic : {true, false}) {
    LokiCase made(traffic ? make_traffic : make_social);
    const double most_rps = most_throughput(made.problem).demand_rps;
    double accuracy = 2;
    int workers = 0;
    int with_hardware = 0;
    for (const double part : {0.01, 0.02, 0.05, 0.2, 0.4, 0.6, 0.8, 0.99}) {
      made.problem.demand_rps = part * most_rps;
      const Allocation fewest = scale_hardware(made.problem);
      if (fewest.feasible) {
        expect_sound(made.problem, fewest);
        EXPECT_GE(fewest.total_workers(), workers);
        workers = fewest.total_workers();
        ++with_hardware;
      }
      const Allocation plan = scale_accuracy(made.problem);
      expect_sound(made.problem, plan);
      EXPECT_LE(plan.accuracy, accuracy + 20 * made.problem.worker_weight + 1e-6);
      accuracy = plan.accuracy;
    }
    EXPECT_GT(with_hardware, 1);
    made.problem.demand_rps = 1.001 * most_rps;
    EXPECT_FALSE(scale_accuracy(made.problem).feasible);
  }
}

// The best of four nodes of the tree, not proven, is a plan all the same.
TEST(LokiAllocation, SaysTheGapWhereALimitStopsIt) {
  LokiCase made(make_traffic);
  made.problem.demand_rps = 700;
  const Allocation best = scale_accuracy(made.problem);
  const Allocation stopped = scale_accuracy(made.problem, {.max_nodes = 1});
  expect_sound(made.problem, best);
  EXPECT_EQ(best.gap, 0);
  EXPECT_FALSE(stopped.optimal);
  if (stopped.feasible) {
    EXPECT_EQ(check_allocation(made.problem, stopped), std::vector<std::string>{});
    EXPECT_GT(stopped.gap, 0);
    EXPECT_GE(stopped.accuracy * (1 + 1.1 * stopped.gap), best.accuracy - 20 * made.problem.worker_weight);
  }
}

TEST(HwScalingAllocation, IsTheMostThatTheBestVariantsCarry) {
  LokiCase made(make_by_hand);
  made.problem.workers = 4;
  made.problem.demand_rps = 100;
  EXPECT_EQ(hwscaling_allocation(made.problem).workers, (std::vector<int>{1, 0, 1, 0}));
  made.problem.demand_rps = 1000;
  const Allocation plan = hwscaling_allocation(made.problem);
  EXPECT_EQ(plan.workers, (std::vector<int>{2, 0, 2, 0}));
  EXPECT_NEAR(plan.demand_rps, 200, 1e-6);
  EXPECT_EQ(plan.accuracy, 1);
  EXPECT_EQ(check_allocation(made.problem, plan), std::vector<std::string>{});
}

}  // namespace
}  // namespace harness

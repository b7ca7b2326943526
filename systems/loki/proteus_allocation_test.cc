#include "systems/loki/proteus_allocation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "harness/core/task_spec.h"
#include "systems/loki/test_loki_cases.h"
#include "systems/loki/test_loki_exhaustive.h"

namespace harness {
namespace {

TEST(ProteusAllocation, UsesAllWorkersByHand) {
  LokiCase made(make_by_hand);
  made.problem.workers = 6;
  // 1.5 workers' load each: two each, and the two that are left one each.
  SeparateAllocation plan = proteus_allocation(made.problem, {150, 0, 300, 0});
  EXPECT_TRUE(plan.feasible);
  EXPECT_EQ(plan.workers, (std::vector<int>{3, 0, 3, 0}));
  EXPECT_NEAR(plan.accuracy, 1, 1e-9);
  EXPECT_EQ(plan.served, 1);
  // Two workers do half of 400 and of 800 at most, with the quick ones.
  made.problem.workers = 2;
  plan = proteus_allocation(made.problem, {400, 0, 800, 0});
  EXPECT_EQ(plan.workers, (std::vector<int>{0, 1, 0, 1}));
  EXPECT_NEAR(plan.served, 0.5, 1e-6);
  EXPECT_NEAR(plan.accuracy, (0.8 + 2 * 0.9) / 3, 1e-9);
  made.problem.workers = 1;
  EXPECT_FALSE(proteus_allocation(made.problem, {400, 0, 800, 0}).feasible);
}

// The detector loses 0.2 with the small variant, the classifier 0.1 on twice the demand: alike by themselves.
// A little more demand at the classifier decides for it, whatever the detector means to the pipeline.
TEST(ProteusAllocation, WeighsTasksByTheirDemandAlone) {
  LokiCase made(make_by_hand);
  made.problem.workers = 3;
  EXPECT_EQ(proteus_allocation(made.problem, {150, 0, 330, 0}).workers, (std::vector<int>{0, 1, 2, 0}));
  EXPECT_EQ(proteus_allocation(made.problem, {150, 0, 270, 0}).workers, (std::vector<int>{2, 0, 0, 1}));
}

// Each task gets 20 of the 40 ms: a batch of two takes 16 ms, a batch of four 24.
TEST(ProteusAllocation, SplitsTheLimitByTasks) {
  LokiCase made;
  std::vector<TaskSpec> tasks = {{"first", {"second"}, {}}, {"second", {}, {}}};
  made.variant(tasks[0], "a", 1, {1}, {12, 16, 24});
  made.variant(tasks[1], "slow", 1, {}, {30, 40, 50});
  made.variant(tasks[1], "less slow", 0.5, {}, {25, 40, 50});
  made.link(tasks);
  made.problem.workers = 2;
  made.problem.latency_limit_ns = ms_to_ns(40);
  const SeparateAllocation plan = proteus_allocation(made.problem, {10, 10, 10});
  EXPECT_EQ(plan.workers, (std::vector<int>{1, 0, 1}));  // no variant is in time: the fastest is used
  EXPECT_EQ(plan.batch, (std::vector<int>{2, 1, 1}));
}

// A source that hands its input on in a microsecond has no part of the SLO; a first task of a millisecond
// has.
TEST(ProteusAllocation, GivesNoShareToATaskThatCostsNothing) {
  for (const auto& [first_us, tasks_on_path] : {std::pair{1, 1}, std::pair{1000, 2}}) {
    LokiCase made;
    std::vector<TaskSpec> tasks = {{"source", {"left", "right"}, {}}, {"left", {}, {}}, {"right", {}, {}}};
    made.variant(tasks[0], "source", 1, {1, 1}, {first_us / 1000.0});
    made.variant(tasks[1], "l", 1, {}, {30});
    made.variant(tasks[2], "r", 1, {}, {30});
    made.link(tasks);
    EXPECT_EQ(longest_path_tasks(*made.problem.pipeline, made.problem.profiles, ms_to_ns(250)),
              tasks_on_path);
  }
}

/// Returns the best weighted accuracy of all numbers of workers, or -1. Each task's demand goes to its most
/// accurate variants first, which is best for a task by itself.
double best_separately(const AllocationProblem& problem, const std::vector<double>& demand_rps) {
  const double total = std::accumulate(demand_rps.begin(), demand_rps.end(), 0.0);
  double best = -1;
  each_configuration(problem, [&](const Configuration& configuration) {
    double accuracy = 0;
    for (const Task& task : problem.pipeline->tasks) {
      double left_rps = demand_rps[task.first];
      int workers = 0;
      for (int v = 0; v < task.variants; ++v) {  // the most accurate first
        const auto m = static_cast<std::size_t>(task.first) + static_cast<std::size_t>(v);
        const int batch = configuration.batch[m];
        const TimeNs latency_ns = problem.profiles[m]->latency(batch);
        if (configuration.workers[m] == 0) continue;
        if (latency_ns > problem.latency_limit_ns) return;
        const double served_rps = std::min(left_rps, configuration.workers[m] * batch / ns_to_s(latency_ns));
        accuracy += served_rps / total * problem.pipeline->modules[m].accuracy;
        left_rps -= served_rps;
        workers += configuration.workers[m];
      }
      if (workers == 0 || left_rps > 1e-9) return;
    }
    best = std::max(best, accuracy);
  });
  return best;
}

TEST(ProteusAllocation, EqualsExhaustiveSearch) {
  int all = 0, part = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(seed);
    LokiCase made;
    make_random(made, seed);
    const std::vector<Module>& modules = made.pipeline.modules;
    RandomStream random(seed, "demands");
    std::vector<double> demand_rps(modules.size(), 0.0);
    for (const Task& task : made.pipeline.tasks) demand_rps[task.first] = 10 + random.uniform() * 150;
    int depth = 1;
    for (ModuleId m = 0; !modules[m].subs.empty(); m = modules[m].subs[0]) ++depth;
    AllocationProblem split = made.problem;
    split.latency_limit_ns /= depth;
    bool in_time = true;  // some batch of every variant; else the fastest are used, late
    for (const Profile* profile : made.problem.profiles)
      in_time &= profile->latency(1) <= split.latency_limit_ns;
    if (!in_time) continue;
    const double best = best_separately(split, demand_rps);
    const SeparateAllocation plan = proteus_allocation(made.problem, demand_rps);
    EXPECT_TRUE(plan.optimal);
    if (best >= 0) {
      ++all;
      EXPECT_EQ(plan.served, 1);
      EXPECT_LE(plan.accuracy, best + 1e-9);
      EXPECT_GE(plan.accuracy, best - made.problem.workers * made.problem.worker_weight - 1e-9);
    } else if (plan.feasible) {
      ++part;
      EXPECT_LT(plan.served, 1);
      // The same part of each demand can be served; 1e-5 more cannot.
      std::vector<double> less = demand_rps, more = demand_rps;
      for (double& rps : less) rps *= plan.served * (1 - 1e-8);
      for (double& rps : more) rps *= plan.served * (1 + 1e-5);
      EXPECT_LT(best_separately(split, more), 0);
      // It is the most accurate of the plans that serve as much.
      const double best_part = best_separately(split, less);
      ASSERT_GE(best_part, 0);
      EXPECT_GE(plan.accuracy, best_part - made.problem.workers * made.problem.worker_weight - 1e-7);
      EXPECT_LE(plan.accuracy, best_part + 1e-7);
    }
    if (plan.feasible) {
      EXPECT_EQ(std::accumulate(plan.workers.begin(), plan.workers.end(), 0), made.problem.workers);
    }
  }
  EXPECT_GT(all, 15);
  EXPECT_GT(part, 15);
}

}  // namespace
}  // namespace harness

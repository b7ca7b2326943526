#include "harness/record/run/module_metrics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "harness/record/run/worker_metrics.h"

namespace harness {
namespace {

ModuleTotals module_with(double waits_s) {
  ModuleTotals module;
  module.queueing_ns = s_to_ns(waits_s) / 2;
  module.wait_ns = s_to_ns(waits_s) - module.queueing_ns;
  return module;
}

WorkerTotals worker_of(std::uint16_t module, TimeNs ready_s, TimeNs busy_s) {
  WorkerTotals worker;
  worker.module = module;
  worker.added_ns = ready_s * kNsPerS;
  worker.ready_ns = ready_s * kNsPerS;
  worker.busy_ns = busy_s * kNsPerS;
  return worker;
}

TEST(ModuleMetrics, TheMiddleModuleIsHalfEarlier) {
  RunRecord record;
  record.duration_ns = 10 * kNsPerS;
  record.modules = {module_with(10), module_with(20), module_with(40), module_with(20), module_with(10)};
  EXPECT_DOUBLE_EQ(earlier_queue_share(record), 0.5);
  record.modules[0] = module_with(110);
  EXPECT_DOUBLE_EQ(earlier_queue_share(record), 0.75);
  record.modules.resize(1);
  EXPECT_TRUE(std::isnan(earlier_queue_share(record))) << "one module";
  record.modules = {module_with(0), module_with(0)};
  EXPECT_TRUE(std::isnan(earlier_queue_share(record))) << "nothing waits";
}

TEST(ModuleMetrics, QueuesAreByLittlesLaw) {
  RunRecord record;
  record.duration_ns = 10 * kNsPerS;
  record.end_ns = 20 * kNsPerS;  // the backlog is served until then
  record.modules = {module_with(60), module_with(20)};
  EXPECT_EQ(mean_queues(record), (std::vector<double>{3, 1}));
  EXPECT_DOUBLE_EQ(queue_mean(record), 2);
  EXPECT_DOUBLE_EQ(longest_over_shortest_queue(record), 3);
  EXPECT_DOUBLE_EQ(earlier_queue_share(record), 0.75);
  record.modules[1] = module_with(0);
  EXPECT_TRUE(std::isnan(longest_over_shortest_queue(record)));
}

BatchEnds ends_of(std::uint64_t count, std::uint64_t pairs, std::int64_t slots) {
  return {count, pairs, slots - 1};
}

// 8 workers, 100 batches each of 10 slots: by chance 7/10 of the other 7 end in the same slot.
TEST(ModuleMetrics, LockstepIsTheShareOfOthersAboveChance) {
  EXPECT_DOUBLE_EQ(lockstep(ends_of(800, 100 * 28, 1000), 8), 1) << "all 8, 28 pairs, each time";
  EXPECT_DOUBLE_EQ(lockstep(ends_of(800, 100 * 2 * 6, 1000), 8), (3 - 0.7) / (7 - 0.7)) << "two fours";
  EXPECT_NEAR(lockstep(ends_of(800, 280, 1000), 8), 0, 1e-12) << "2 x 280 / 800 = 0.7";
  EXPECT_TRUE(std::isnan(lockstep(ends_of(700, 0, 1000), 7))) << "few workers";
  EXPECT_TRUE(std::isnan(lockstep(ends_of(79, 0, 100), 8))) << "few ends";
  EXPECT_TRUE(std::isnan(lockstep(ends_of(800, 100 * 28, 200), 8))) << "batches of two slots";
}

TEST(ModuleMetrics, LockstepOfARunIsThatOfTheModuleWithMost) {
  RunRecord record;
  record.modules.resize(3);
  record.modules[0].ends = ends_of(800, 0, 1000);
  record.modules[1].ends = ends_of(800, 100 * 2 * 6, 1000);
  record.modules[2].ends = ends_of(200, 100, 1000);
  // Module 1 goes from 4 workers to 8 and back; module 2 has 2.
  record.plans = {{0, 0, 8}, {0, 1, 4}, {0, 2, 2}, {kNsPerS, 1, 8}, {2 * kNsPerS, 1, 4}};
  EXPECT_DOUBLE_EQ(lockstep(record), (3 - 0.7) / (7 - 0.7));
  record.plans.resize(1);
  EXPECT_EQ(lockstep(record), 0) << "less than chance";
  record.shares_workers = true;
  EXPECT_TRUE(std::isnan(lockstep(record)));
}

TEST(ModuleMetrics, UtilisationByModule) {
  RunRecord record;
  record.duration_ns = 10 * kNsPerS;
  record.end_ns = 10 * kNsPerS;
  record.modules.resize(3);
  // Module 0: 8 of 10 s. Module 1: 9 of 15 s. Module 2 has no worker.
  record.workers = {worker_of(0, 0, 8), worker_of(1, 0, 6), worker_of(1, 5, 3)};
  EXPECT_NEAR(utilisation_spread(record), 0.2, 1e-12);
  EXPECT_NEAR(gpu_hours(record), 25.0 / 3600, 1e-12);
  record.shares_workers = true;
  EXPECT_TRUE(std::isnan(utilisation_spread(record)));
}

TEST(ModuleMetrics, HoursAreThoseOfTheLoad) {
  RunRecord record;
  record.duration_ns = 3600 * kNsPerS;
  record.end_ns = 7200 * kNsPerS;
  record.workers = {worker_of(0, 1800, 0), worker_of(0, 0, 0), worker_of(0, 0, 0)};
  record.workers[1].removed_ns = 900 * kNsPerS;
  record.workers[2].added_ns = kNever;  // it never had its device
  EXPECT_DOUBLE_EQ(gpu_hours(record), 0.5 + 0.25);
}

}  // namespace
}  // namespace harness

#include "harness/record/run/module_metrics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "harness/record/run/metrics.h"
#include "harness/record/run/worker_metrics.h"

namespace harness {
namespace {

GapTotals gaps_of(const std::vector<double>& gaps_s) {
  GapTotals totals;
  for (const double gap_s : gaps_s) {
    ++totals.count;
    totals.sum_ns += s_to_ns(gap_s);
    totals.squares_ns2 += gap_s * gap_s * 1e18;
  }
  return totals;
}

ModuleTotals module_with(const GapTotals& gaps, double waits_s) {
  ModuleTotals module;
  module.gaps = gaps;
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

TEST(ModuleMetrics, VariationIsTheDeviationOverTheMean) {
  EXPECT_DOUBLE_EQ(variation_of(gaps_of({1, 3})), 0.5);  // mean 2, deviation 1
  EXPECT_DOUBLE_EQ(variation_of(gaps_of({2, 2, 2})), 0);
  EXPECT_DOUBLE_EQ(variation_of(gaps_of({0, 0, 0, 4})), std::sqrt(3.0));  // mean 1, variance 3
  EXPECT_TRUE(std::isnan(variation_of(gaps_of({1})))) << "one gap does not vary";
  EXPECT_TRUE(std::isnan(variation_of(gaps_of({0, 0})))) << "all at once";
  EXPECT_TRUE(std::isnan(variation_of({})));
}

TEST(ModuleMetrics, VariationAlongThePipeline) {
  RunRecord record;
  // 0.5, then 0.25, then sqrt(3).
  for (const auto& gaps : {gaps_of({1, 3}), gaps_of({3, 5}), gaps_of({0, 0, 0, 4})})
    record.modules.push_back(module_with(gaps, 0));
  const ArrivalVariation variation = arrival_variation(record);
  EXPECT_DOUBLE_EQ(variation.first, 0.5);
  EXPECT_DOUBLE_EQ(variation.last, std::sqrt(3.0));
  EXPECT_DOUBLE_EQ(variation.max_over_min, 4 * std::sqrt(3.0));
  EXPECT_DOUBLE_EQ(variation.rising_share, 0.5);
  record.modules[1].gaps = {};  // not counted there, or not visited
  EXPECT_TRUE(std::isnan(arrival_variation(record).first));
}

TEST(ModuleMetrics, QueuesAreByLittlesLaw) {
  RunRecord record;
  record.duration_ns = 10 * kNsPerS;
  record.end_ns = 20 * kNsPerS;  // the backlog is served until then
  record.modules = {module_with({}, 60), module_with({}, 20)};
  EXPECT_EQ(mean_queues(record), (std::vector<double>{3, 1}));
  EXPECT_DOUBLE_EQ(queue_mean(record), 2);
  EXPECT_DOUBLE_EQ(longest_over_shortest_queue(record), 3);
  record.modules[1] = module_with({}, 0);
  EXPECT_TRUE(std::isnan(longest_over_shortest_queue(record)));
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

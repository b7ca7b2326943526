#include "harness/record/analysis/compared_metric.h"

#include <gtest/gtest.h>

#include <cmath>

#include "harness/core/input_error.h"
#include "harness/core/test_refusal.h"
#include "harness/record/run/column_facts.h"
#include "harness/record/run/test_cells.h"

namespace harness {
namespace {

ComparedMetric metric(const std::string& name, double tolerance, bool relative) {
  return {name, better_of(name), {tolerance, relative}};
}

TEST(ComparedMetric, IsACellsOwnValueOrNone) {
  const ComparedMetric goodput = metric("slo_attainment", 0.01, false);
  EXPECT_DOUBLE_EQ(goodput.value_in(test_cell("pard", 900)), 0.9);
  EXPECT_TRUE(std::isnan(goodput.value_in(SummaryRow())));
  EXPECT_EQ(metric("workers", 0, false).value_in(test_cell("pard", 900)), 64);
}

TEST(ComparedMetric, AChangeIsADifferenceOrAShareOfTheBase) {
  EXPECT_DOUBLE_EQ(metric("latency_ms_p50", 5, false).change(200, 210), 10);
  EXPECT_DOUBLE_EQ(metric("latency_ms_p50", 0.05, true).change(200, 210), 0.05);
  EXPECT_DOUBLE_EQ(metric("latency_ms_p50", 0.05, true).change(-200, -190), 0.05);
  EXPECT_EQ(metric("late", 0.05, true).change(0, 0), 0);
  EXPECT_EQ(metric("late", 0.05, true).change(0, 1), INFINITY);
  EXPECT_TRUE(std::isnan(metric("late", 0.05, true).change(kNoValue, 1)));
}

TEST(ComparedMetric, WorseIsLessOrMoreOrAnyChange) {
  EXPECT_EQ(metric("goodput_rps", 0, false).worsening(-3), 3);
  EXPECT_EQ(metric("drop_rate", 0, false).worsening(-3), -3);
  EXPECT_EQ(metric("capacity_rps", 0, false).worsening(-3), 3);
  EXPECT_EQ(metric("capacity_rps", 0, false).worsening(3), 3);
}

TEST(ComparedMetric, TheToleranceItselfIsNotBeyondIt) {
  const ComparedMetric drops = metric("drop_rate", 0.01, false);
  EXPECT_GT(0.31 - 0.30, 0.01);  // by rounding
  EXPECT_FALSE(drops.is_beyond(0.31 - 0.30));
  EXPECT_TRUE(drops.is_beyond(0.0101));
  EXPECT_FALSE(metric("sent", 0, false).is_beyond(0));
  EXPECT_TRUE(metric("sent", 0, false).is_beyond(1e-300));
}

TEST(ComparedMetric, TolerancesAreReadAndAdded) {
  std::vector<ComparedMetric> metrics = usual_metrics();
  ASSERT_EQ(metrics.size(), 6u);
  set_tolerance(metrics, "drop_rate=0.02");
  set_tolerance(metrics, "latency_ms_p99=10%");
  set_tolerance(metrics, "goodput_rps=5");
  ASSERT_EQ(metrics.size(), 7u);
  EXPECT_EQ(metrics[0].tolerance, (ComparedMetric::Tolerance{0.01, false}));
  EXPECT_EQ(metrics[1].tolerance, (ComparedMetric::Tolerance{0.02, false}));
  EXPECT_EQ(metrics[4].tolerance, (ComparedMetric::Tolerance{0.05, true}));
  EXPECT_EQ(metrics[5].tolerance, (ComparedMetric::Tolerance{0.1, true}));
  EXPECT_EQ(metrics[6].name, "goodput_rps");
  EXPECT_EQ(metrics[6].better, Better::kHigher);
  EXPECT_EQ(metrics[6].tolerance, (ComparedMetric::Tolerance{5, false}));
}

TEST(ComparedMetric, BadTolerancesAreBadInput) {
  std::vector<ComparedMetric> metrics = usual_metrics();
  for (const char* text : {"drop_rate", "drop_rate=", "drop_rate=%", "drop_rate=-0.1", "drop_rate=inf",
                           "drop_rate=nan", "drop_rate=1 %", "drop_rat=1", "=1", "system=1", "seed=1", ""})
    EXPECT_THROW(set_tolerance(metrics, text), InputError) << text;
  EXPECT_EQ(metrics.size(), 6u);
}

TEST(ComparedMetric, WhatAClientNotices) {
  const std::vector<ComparedMetric> metrics = service_metrics("--within", "5%");
  ASSERT_EQ(metrics.size(), 4u);
  std::string names;
  for (const ComparedMetric& each : metrics) {
    names += each.name + " ";
    EXPECT_EQ(each.tolerance, (ComparedMetric::Tolerance{0.05, true})) << each.name;
    EXPECT_NE(each.better, Better::kNeither) << each.name;
  }
  EXPECT_EQ(names, "goodput_rps latency_ms_p50 latency_ms_p90 latency_ms_p99 ");
  const std::string error = refusal_of([] { service_metrics("--within", "five"); });
  EXPECT_TRUE(holds(error, "--within"));
}

/// Every column whose name tells a direction or a share exists in /summary.
TEST(ComparedMetric, DirectionsOfColumns) {
  for (const char* name :
       {"in_time", "goodput_rps", "bound_share", "min_goodput_share_10s", "accuracy", "path_accuracy"})
    EXPECT_EQ(better_of(name), Better::kHigher) << name;
  for (const char* name : {"late", "dropped", "unfinished", "invalid_rate", "latency_ms_p90", "queue_mean",
                           "gpu_hours", "wall_s", "path_violation_rate"})
    EXPECT_EQ(better_of(name), Better::kLower) << name;
  for (const char* name : {"sent", "workers", "workers_mean", "workers_min_10s", "fluid_bound_rps",
                           "gpu_utilisation", "arrival_cv_last", "order_changes"})
    EXPECT_EQ(better_of(name), Better::kNeither) << name;
  for (const std::string& name : metric_columns()) {
    const bool share = name.find("rate") != std::string::npos || name.find("share") != std::string::npos ||
                       name.find("utilisation") != std::string::npos || name == "optimality_gap" ||
                       name == "slo_attainment" || name == "accuracy" || name == "path_accuracy" ||
                       name == "lockstep";
    EXPECT_EQ(metric(name, 0, false).is_share(), share) << name;
  }
}

TEST(ComparedMetric, SharesReadInPerCentAndPoints) {
  const ComparedMetric drops = metric("drop_rate", 0.01, false);
  EXPECT_EQ(value_text(drops, 0.0883), "8.83%");
  EXPECT_EQ(value_text(drops, kNoValue), "");
  EXPECT_EQ(difference_text(drops, 0.0012, true), "+0.12 pt");
  EXPECT_EQ(difference_text(drops, -0.1, true), "-10 pt");
  EXPECT_EQ(difference_text(drops, -1e-9, true), "0 pt");
  EXPECT_EQ(tolerance_text(drops), "1 pt");
  const ComparedMetric latency = metric("latency_ms_p99", 0.07, true);
  EXPECT_EQ(value_text(latency, 400.25), "400.25");
  EXPECT_EQ(difference_text(latency, 3.5, true), "+3.5");
  EXPECT_EQ(change_text(latency, 0.07), "+7%");
  EXPECT_EQ(tolerance_text(latency), "7%");
}

}  // namespace
}  // namespace harness

#include "harness/record/analysis/changes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "harness/record/run/test_cells.h"

namespace harness {
namespace {

/// Returns cells of seeds 1, 2, ... with these numbers of requests in time.
Rows seeds_of(const std::vector<double>& in_time, double load = 1) {
  Rows rows;
  for (const double each : in_time) {
    rows.push_back(test_cell("pard", each, load));
    rows.back().cell.seed = rows.size();
  }
  return rows;
}

const Change& change_of(const Changes& changes, const std::string& metric) {
  for (const Change& change : changes.changes) {
    if (change.metric.name == metric) return change;
  }
  throw std::out_of_range(metric);
}

// The seeds differ by + 20, + 30 and + 40 requests of 1,000: 3 points on average, with a deviation of 1 point
// and a half-width of 4.30265 / sqrt(3).
TEST(Changes, ThreeSeedsByHand) {
  const Changes changes =
      changes_between(seeds_of({800, 700, 900}), seeds_of({820, 730, 940}), moved_metrics());
  const Change& better = change_of(changes, "slo_attainment");
  EXPECT_EQ(better.workload, "lv tweet load 1 slo 500 ms");
  EXPECT_DOUBLE_EQ(better.base, 0.8);
  EXPECT_NEAR(better.now, 0.83, 1e-12);
  EXPECT_NEAR(better.difference.mean, 0.03, 1e-12);
  EXPECT_NEAR(better.difference.half_width, 0.0430265 / std::sqrt(3.0), 1e-6);
  EXPECT_EQ(better.movement, Movement::kBetter);
  EXPECT_EQ(change_of(changes, "goodput_rps").movement, Movement::kBetter);
  EXPECT_EQ(change_of(changes, "latency_ms_p50").movement, Movement::kEqual);
  EXPECT_EQ(changes_between(seeds_of({820, 730, 940}), seeds_of({800, 700, 900}), moved_metrics())
                .count_of(Movement::kWorse),
            2u);
}

// Differences of + 20, - 10 and + 40 are 16.7 on average with an interval that holds 0; a small change that
// is alike in all seeds is no noise.
TEST(Changes, WhatGoesBothWaysIsNoise) {
  const Rows base = seeds_of({800, 700, 900});
  EXPECT_EQ(
      change_of(changes_between(base, seeds_of({820, 690, 940}), moved_metrics()), "slo_attainment").movement,
      Movement::kNoise);
  EXPECT_EQ(
      change_of(changes_between(base, seeds_of({801, 701, 901}), moved_metrics()), "slo_attainment").movement,
      Movement::kBetter);
}

// A quantile of the latency is known to 1/128 of its value.
TEST(Changes, WhatTheHistogramCannotTellApartIsNoise) {
  const Rows base = seeds_of({800, 800});
  Rows now = base;
  for (SummaryRow& row : now) row["latency_ms_p50"] = 100 * (1 + 1.0 / 129);
  EXPECT_EQ(change_of(changes_between(base, now, moved_metrics()), "latency_ms_p50").movement,
            Movement::kNoise);
  for (SummaryRow& row : now) row["latency_ms_p50"] = 100 * (1 + 1.0 / 127);
  EXPECT_EQ(change_of(changes_between(base, now, moved_metrics()), "latency_ms_p50").movement,
            Movement::kWorse);
}

TEST(Changes, LessOfWhatIsLostIsBetter) {
  Rows now = seeds_of({800, 810});
  for (SummaryRow& row : now) row["invalid_rate"] = 0.1;
  EXPECT_EQ(change_of(changes_between(seeds_of({800, 810}), now, moved_metrics()), "invalid_rate").movement,
            Movement::kWorse);
}

TEST(Changes, OfOneRunNoiseIsNotKnown) {
  const Changes changes = changes_between(seeds_of({800}), seeds_of({900}), moved_metrics());
  EXPECT_EQ(change_of(changes, "slo_attainment").movement, Movement::kOnce);
  const std::string text = changes_text(changes);
  EXPECT_NE(text.find("Differ in the one run that there is"), std::string::npos) << text;
  EXPECT_EQ(text.find("Moved beyond the noise"), std::string::npos);
}

TEST(Changes, RepeatsOfALiveCellAreItsRuns) {
  const auto repeats = [](double first, double second) {
    return Rows{live_cell("pard", first, "live.repeat=1"), live_cell("pard", second, "live.repeat=2")};
  };
  const Changes changes = changes_between(repeats(800, 810), repeats(850, 860), moved_metrics());
  EXPECT_EQ(change_of(changes, "slo_attainment").difference.n, 2u);
  EXPECT_EQ(change_of(changes, "slo_attainment").movement, Movement::kBetter);
  EXPECT_EQ(change_of(changes, "slo_attainment").series, "pard emulated");
}

TEST(Changes, AnotherLoadIsToldAndComparedAllTheSame) {
  Rows now = seeds_of({900});
  now[0].workers = 32;
  const Changes changes = changes_between(seeds_of({800}), now, moved_metrics());
  EXPECT_EQ(change_of(changes, "slo_attainment").movement, Movement::kOnce);
  EXPECT_NE(changes_text(changes).find("workers 64, now 32"), std::string::npos);
}

TEST(Changes, AValueThatIsNoMoreIsTold) {
  Rows now = seeds_of({800, 810});
  for (SummaryRow& row : now) row["latency_ms_p99"] = NAN;
  const std::string text = changes_text(changes_between(seeds_of({800, 810}), now, moved_metrics()));
  EXPECT_NE(text.find("pard latency_ms_p99: no value any more in 2 cells"), std::string::npos) << text;
}

TEST(Changes, TheLargestComesFirst) {
  Rows base = seeds_of({800, 810}, 1);
  Rows now = seeds_of({810, 820}, 1);
  for (const SummaryRow& row : seeds_of({500, 510}, 2)) base.push_back(row);
  for (const SummaryRow& row : seeds_of({400, 410}, 2)) now.push_back(row);
  const std::string text = changes_text(changes_between(base, now, moved_metrics()));
  EXPECT_LT(text.find("worse"), text.find("better")) << text;
  EXPECT_NE(text.find("10 comparisons in 4 cells: 4 moved, 0 within the noise, 6 equal"), std::string::npos)
      << text;
}

}  // namespace
}  // namespace harness

#include "harness/record/analysis/comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "harness/record/analysis/settings_differences.h"
#include "harness/record/run/test_cells.h"

namespace harness {
namespace {

const MetricChange& change_of(const Comparison& comparison, const std::string& series,
                              const std::string& metric) {
  for (const MetricChange& change : comparison.metrics) {
    if (change.series == series && change.metric.name == metric) return change;
  }
  throw std::out_of_range(series + " " + metric);
}

Comparison compared(const Rows& base, const Rows& now) { return compare(base, now, usual_metrics()); }

TEST(Comparison, DifferencesOfThreeCellsByHand) {
  const Rows base = {test_cell("pard", 900, 0.8), test_cell("pard", 800, 1), test_cell("pard", 600, 1.2)};
  // SLO attainment: + 2, - 1 and - 4 points; their mean is - 1 point, their deviation 3 points.
  const Rows now = {test_cell("pard", 920, 0.8), test_cell("pard", 790, 1), test_cell("pard", 560, 1.2)};
  const Comparison comparison = compared(base, now);
  const MetricChange& goodput = change_of(comparison, "pard", "slo_attainment");
  EXPECT_DOUBLE_EQ(goodput.base, (0.9 + 0.8 + 0.6) / 3);
  EXPECT_DOUBLE_EQ(goodput.now, (0.92 + 0.79 + 0.56) / 3);
  EXPECT_EQ(goodput.difference.n, 3u);
  EXPECT_NEAR(goodput.difference.mean, -0.01, 1e-12);
  EXPECT_NEAR(goodput.difference.half_width, 4.30265 * 0.03 / std::sqrt(3.0), 1e-6);
  EXPECT_NEAR(goodput.worst, -0.04, 1e-12);
  EXPECT_EQ(goodput.worst_cell, "lv tweet load 1.2 slo 500 ms seed 1");
  EXPECT_EQ(goodput.verdict, ChangeVerdict::kRegression);
  EXPECT_NEAR(change_of(comparison, "pard", "drop_rate").worst, 0.04, 1e-12);
  EXPECT_EQ(change_of(comparison, "pard", "latency_ms_p50").verdict, ChangeVerdict::kSame);
  EXPECT_EQ(change_of(comparison, "pard", "latency_ms_p50").worst_cell, "");
  EXPECT_EQ(comparison.regressions(), 2u);
  EXPECT_TRUE(comparison.problems.empty());
}

TEST(Comparison, ACellWithoutALoadFindsItsPartnerInAFileOfAnOlderVersion) {
  const Comparison comparison = compared({test_cell("pard", 900, 0)}, {test_cell("pard", 800, kNoValue)});
  EXPECT_TRUE(comparison.problems.empty());
  EXPECT_EQ(change_of(comparison, "pard", "drop_rate").verdict, ChangeVerdict::kRegression);
}

TEST(Comparison, EachSeriesIsJudgedByItself) {
  const Rows base = {test_cell("pard", 900), test_cell("nexus", 700)};
  const Comparison comparison = compared(base, {test_cell("nexus", 600), test_cell("pard", 950)});
  EXPECT_EQ(change_of(comparison, "nexus", "drop_rate").verdict, ChangeVerdict::kRegression);
  EXPECT_EQ(change_of(comparison, "pard", "drop_rate").verdict, ChangeVerdict::kBetter);
  EXPECT_EQ(comparison.regressions(), 2u);
  EXPECT_EQ(comparison.better(), 2u);
}

TEST(Comparison, WithinTheToleranceIsTheSame) {
  const Rows base = {test_cell("pard", 900)};
  Rows now = {test_cell("pard", 890)};  // 1 point
  now[0]["latency_ms_p99"] = 420;       // 5 %
  EXPECT_EQ(compared(base, now).regressions(), 0u);
  EXPECT_EQ(compared(now, base).better(), 0u);
  now[0]["latency_ms_p99"] = 420.1;
  EXPECT_EQ(change_of(compared(base, now), "pard", "latency_ms_p99").verdict, ChangeVerdict::kRegression);
  now[0]["latency_ms_p99"] = 379.9;
  EXPECT_EQ(change_of(compared(base, now), "pard", "latency_ms_p99").verdict, ChangeVerdict::kBetter);
}

TEST(Comparison, RepeatsOfALiveCellAreJudgedByTheirMean) {
  const auto repeat = [](int number, double in_time) {
    return live_cell("pard", in_time, "live.repeat=" + std::to_string(number));
  };
  const Rows base = {repeat(1, 900), repeat(2, 900), repeat(3, 900)};
  // - 2, + 1 and 0 points are - 1/3 of a point together.
  const Comparison comparison = compared(base, {repeat(1, 880), repeat(2, 910), repeat(3, 900)});
  const MetricChange& goodput = change_of(comparison, "pard emulated", "slo_attainment");
  EXPECT_EQ(goodput.difference.n, 3u);
  EXPECT_NEAR(goodput.worst, -0.01 / 3, 1e-12);
  EXPECT_EQ(goodput.worst_cell, "lv tweet load 1 slo 500 ms emulated seed 1");
  EXPECT_EQ(comparison.regressions(), 0u);
  EXPECT_EQ(comparison.simulated, 0u);
  EXPECT_GT(compared(base, {repeat(1, 870), repeat(2, 880), repeat(3, 890)}).regressions(), 0u);
}

TEST(Comparison, AccuracyIsComparedWhereModelsHaveOne) {
  Rows base = {test_cell("pard", 900), test_cell("loki", 900)};
  base[1]["accuracy"] = 0.95;
  const auto now_with = [&](double accuracy) {
    Rows now = base;
    now[1]["accuracy"] = accuracy;
    return compared(base, now);
  };
  EXPECT_THROW(change_of(now_with(0.95), "pard", "accuracy"), std::out_of_range);
  EXPECT_EQ(change_of(now_with(0.94), "loki", "accuracy").verdict, ChangeVerdict::kSame);  // 1 point
  EXPECT_EQ(change_of(now_with(0.97), "loki", "accuracy").verdict, ChangeVerdict::kBetter);
  EXPECT_EQ(change_of(now_with(0.93), "loki", "accuracy").verdict, ChangeVerdict::kRegression);
  EXPECT_EQ(change_of(now_with(kNoValue), "loki", "accuracy").verdict, ChangeVerdict::kRegression);
}

TEST(Comparison, FingerprintsOfSimulatedCellsAreCounted) {
  Rows base = {test_cell("pard", 900), test_cell("nexus", 900), test_cell("naive", 900),
               live_cell("pard", 900, "")};
  for (SummaryRow& row : base) row.fingerprint = "0123456789abcdef";
  Rows now = base;
  now[1].fingerprint = "fedcba9876543210";
  const Comparison comparison = compared(base, now);
  EXPECT_EQ(comparison.simulated, 3u);
  EXPECT_EQ(comparison.same_fingerprint, 2u);
  EXPECT_TRUE(comparison.recomputed.empty());
  EXPECT_EQ(comparison.regressions(), 0u);
  now[2]["invalid_rate"] = 0.001;
  now[2]["wall_s"] = 7;
  EXPECT_EQ(compared(base, now).recomputed,
            std::vector<std::string>{"naive lv tweet load 1 slo 500 ms seed 1"});
}

TEST(Comparison, ACellThatNoLongerRunsIsARegression) {
  const Rows base = {test_cell("pard", 900), test_cell("nexus", 900)};
  Rows now = base;
  now[0].status = "invalid";
  now[0].why = "load left late";
  const Comparison comparison = compared(base, now);
  ASSERT_EQ(comparison.stopped.size(), 1u);
  EXPECT_EQ(comparison.stopped[0].text, "ok, now invalid (load left late)");
  EXPECT_EQ(comparison.regressions(), 1u);
  const Comparison back = compared(now, base);
  EXPECT_EQ(back.regressions(), 0u);
  EXPECT_EQ(back.resumed.size(), 1u);
  const Comparison both = compared(now, now);
  EXPECT_EQ(both.idle, 1u);
  EXPECT_EQ(both.regressions(), 0u);
  EXPECT_TRUE(both.problems.empty());
}

TEST(Comparison, MissingValues) {
  Rows base = {test_cell("pard", 900, 0.8), test_cell("pard", 900, 1.2)};
  Rows now = base;
  base[0]["latency_ms_p99"] = now[0]["latency_ms_p99"] = kNoValue;
  EXPECT_EQ(change_of(compared(base, now), "pard", "latency_ms_p99").difference.n, 1u);
  EXPECT_EQ(compared(base, now).regressions(), 0u);
  now[1]["latency_ms_p99"] = kNoValue;
  const Comparison comparison = compared(base, now);
  const MetricChange& lost = change_of(comparison, "pard", "latency_ms_p99");
  EXPECT_EQ(lost.verdict, ChangeVerdict::kRegression);
  EXPECT_EQ(lost.difference.n, 0u);
  EXPECT_TRUE(std::isnan(lost.base) && std::isnan(lost.worst));
  EXPECT_EQ(lost.lost, std::vector<std::string>{"lv tweet load 1.2 slo 500 ms seed 1"});
  EXPECT_EQ(compared(now, base).regressions(), 0u);
}

TEST(Comparison, OtherSettingsAreToldWithTheNumberOfCells) {
  Rows base = {test_cell("pard", 900, 0.8), test_cell("pard", 900, 1.2), test_cell("nexus", 900)};
  for (SummaryRow& row : base) row.cell.effective_toml = "[serving]\ncommit = \"early\"\n";
  Rows now = base;
  now[0].cell.effective_toml = now[1].cell.effective_toml = "[serving]\ncommit = \"late\"\n";
  const Comparison comparison = compared(base, now);
  EXPECT_EQ(comparison.settings, std::vector<std::string>{"serving.commit early, now late (2 cells)"});
  EXPECT_EQ(comparison.regressions(), 0u);
}

TEST(Comparison, FilesWhoseContentsDifferAreNamed) {
  const std::string text =
      "[trace.day]\nfile = \"day.csv\"\n[workload]\npipelines = [\"./p.toml\"]\n"
      "[cluster]\nprofiles = \"shepherd-v100\"\n# pipeline 1a\n# profiles 2b\n# trace 3c\n";
  const std::string other =
      text.substr(0, text.find("# pipeline")) + "# pipeline 4\n# profiles 5\n# trace 6\n";
  EXPECT_EQ(settings_differences(text, other),
            (std::vector<std::string>{"contents of pipeline differ: ./p.toml",
                                      "contents of profiles differ: shepherd-v100 (or a file that it names)",
                                      "contents of trace differ: day.csv"}));
  EXPECT_EQ(contents_of(text),
            (std::map<std::string, std::string>{
                {"pipeline ./p.toml", "1a"}, {"profiles shepherd-v100", "2b"}, {"trace day.csv", "3c"}}));
}

TEST(Comparison, OtherDevicesAreToldWhereBothFilesNameThem) {
  const Rows base = {test_cell("pard", 900, 0.8), test_cell("pard", 900, 1.2), test_cell("nexus", 900)};
  Rows now = base;
  for (SummaryRow& row : now) row.devices = "1 x NVIDIA A100";
  EXPECT_TRUE(compared(base, now).settings.empty());  // a file of an older program has no settings
  Rows other = now;
  other[0].devices = other[2].devices = "1 x NVIDIA H200";
  const Comparison comparison = compared(now, other);
  EXPECT_EQ(comparison.settings,
            std::vector<std::string>{"devices 1 x NVIDIA A100, now 1 x NVIDIA H200 (2 cells)"});
  EXPECT_EQ(comparison.regressions(), 0u);
}

TEST(Comparison, WhatCannotBeComparedIsNamed) {
  const Rows base = {test_cell("pard", 900, 0.8), test_cell("pard", 900, 1.2)};
  EXPECT_EQ(compared(base, {base[0]}).problems,
            std::vector<std::string>{"pard lv tweet load 1.2 slo 500 ms seed 1: only in the base"});
  EXPECT_EQ(compared({base[0]}, base).problems,
            std::vector<std::string>{"pard lv tweet load 1.2 slo 500 ms seed 1: only in the new results"});
  EXPECT_EQ(compared({base[0]}, {base[1]}).problems.size(), 3u);  // the third: no cell in common
  EXPECT_EQ(compared({}, {}).problems.size(), 1u);
  Rows now = base;
  now[1].workers = 32;
  now[1]["drop_rate"] = 1;
  const Comparison comparison = compared(base, now);
  EXPECT_EQ(comparison.problems,
            std::vector<std::string>{"pard lv tweet load 1.2 slo 500 ms seed 1: workers 64, now 32"});
  EXPECT_EQ(comparison.regressions(), 0u);
  now[0].status = now[1].status = "skipped";
  EXPECT_EQ(compared(now, now).problems, std::vector<std::string>{"no cell ran in either file"});
}

/// A series that two files tune differently has the same name in both.
TEST(Comparison, WhatTheNameOfTwoCellsLeavesOutIsToldWhereTheyDiffer) {
  Rows base = {test_cell("pard", 900, 1, "pard.lambda=0.1")};
  Rows now = {test_cell("pard", 900, 1, "pard.lambda=0.2")};
  base[0].cell.series = now[0].cell.series = "pard/tuned";
  base[0].cell.variant = now[0].cell.variant = "tuned";
  const std::string name = "pard/tuned lv tweet load 1 slo 500 ms seed 1 with pard.lambda=";
  const std::vector<std::string> problems = compared(base, now).problems;
  EXPECT_EQ(problems.at(0), name + "0.1: only in the base");
  EXPECT_EQ(problems.at(1), name + "0.2: only in the new results");
}

TEST(Comparison, SeriesAreThoseOfTheColumn) {
  const Rows rows = {test_cell("pard", 900, 1, "pard.lambda=0.1"),
                     test_cell("pard", 800, 1, "pard.lambda=0.2")};
  const Comparison comparison = compared(rows, rows);
  EXPECT_EQ(change_of(comparison, "pard lambda=0.1", "slo_attainment").base, 0.9);
  EXPECT_EQ(change_of(comparison, "pard lambda=0.2", "slo_attainment").base, 0.8);
}

}  // namespace
}  // namespace harness

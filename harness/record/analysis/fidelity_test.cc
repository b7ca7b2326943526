#include "harness/record/analysis/fidelity.h"

#include <gtest/gtest.h>

#include <cmath>

#include "harness/record/run/test_cells.h"

namespace harness {
namespace {

SummaryRow repeat(int number, double in_time, const std::string& more = "") {
  return live_cell("pard", in_time, "live.repeat=" + std::to_string(number) + more);
}

std::vector<ComparedMetric> goodput_alone() { return {rate_metrics().front()}; }

TEST(Fidelity, FiveRepeatsByHand) {
  // Goodputs of 89, 90, 90, 90.5 and 90.5 % have the mean 90 and the half-range 0.75; simulated: 90.6.
  const Rows rows = {test_cell("pard", 906), repeat(1, 890), repeat(2, 900),
                     repeat(3, 900),         repeat(4, 905), repeat(5, 905)};
  const Fidelity fidelity = fidelity_of(rows, rate_metrics());
  ASSERT_EQ(fidelity.rows.size(), 3u);
  const FidelityRow& goodput = fidelity.rows[0];
  EXPECT_EQ(goodput.cell.name(), "pard lv tweet load 1 slo 500 ms emulated seed 1");
  EXPECT_EQ(goodput.metric.name, "slo_attainment");
  EXPECT_EQ(goodput.runs, 5u);
  EXPECT_NEAR(goodput.live, 0.9, 1e-12);
  EXPECT_NEAR(goodput.half_range, 0.0075, 1e-12);
  EXPECT_NEAR(goodput.simulated, 0.906, 1e-12);
  EXPECT_NEAR(goodput.difference, -0.006, 1e-12);
  EXPECT_EQ(goodput.verdict, FidelityVerdict::kWithin);
  EXPECT_EQ(fidelity.count_of(FidelityVerdict::kWithin), 3u);
  EXPECT_TRUE(fidelity.invalid.empty() && fidelity.alone.empty());
}

TEST(Fidelity, AccuracyIsComparedWhereModelsHaveOne) {
  Rows rows = {test_cell("pard", 900), repeat(1, 900)};
  rows[0]["accuracy"] = 0.9;
  const auto judged = [&](double live) {
    rows[1]["accuracy"] = live;
    const Fidelity fidelity = fidelity_of(rows, rate_metrics());
    EXPECT_EQ(fidelity.rows.size(), 4u);
    EXPECT_EQ(fidelity.rows.back().metric.name, "accuracy");
    return fidelity.rows.back().verdict;
  };
  EXPECT_EQ(judged(0.89), FidelityVerdict::kWithin);
  EXPECT_EQ(judged(0.88), FidelityVerdict::kBeyond);
  EXPECT_EQ(judged(kNoValue), FidelityVerdict::kInvalid);
}

TEST(Fidelity, BeyondByTheDifferenceOrByTheScatter) {
  const auto verdict = [](double simulated, double first, double second) {
    const Rows rows = {test_cell("pard", simulated), repeat(1, first), repeat(2, second)};
    return fidelity_of(rows, goodput_alone()).rows.at(0).verdict;
  };
  EXPECT_EQ(verdict(900, 890, 890), FidelityVerdict::kWithin);  // 1 point
  EXPECT_EQ(verdict(900, 889, 889), FidelityVerdict::kBeyond);
  EXPECT_EQ(verdict(900, 911, 911), FidelityVerdict::kBeyond);
  EXPECT_EQ(verdict(900, 890, 910), FidelityVerdict::kWithin);  // half-range of 1 point
  EXPECT_EQ(verdict(900, 889, 911), FidelityVerdict::kBeyond);
}

TEST(Fidelity, ToleranceRelativeToTheSimulation) {
  std::vector<ComparedMetric> metrics = goodput_alone();
  metrics[0].tolerance = {0.05, true};
  const auto verdict = [&](double in_time) {
    return fidelity_of(Rows{test_cell("pard", 400), repeat(1, in_time)}, metrics).rows.at(0).verdict;
  };
  EXPECT_EQ(verdict(420), FidelityVerdict::kWithin);
  EXPECT_EQ(verdict(421), FidelityVerdict::kBeyond);
}

TEST(Fidelity, OneRunHasNoScatter) {
  const Fidelity fidelity = fidelity_of(Rows{test_cell("pard", 900), repeat(1, 905)}, goodput_alone());
  EXPECT_TRUE(std::isnan(fidelity.rows.at(0).half_range));
  EXPECT_EQ(fidelity.rows.at(0).verdict, FidelityVerdict::kWithin);
}

TEST(Fidelity, AnInvalidRepeatMakesTheVerdictInvalid) {
  Rows rows = {test_cell("pard", 900), repeat(1, 900), repeat(2, 100)};
  rows[2].status = "invalid";
  rows[2].why = "load left late";
  const Fidelity fidelity = fidelity_of(rows, goodput_alone());
  EXPECT_EQ(fidelity.rows.at(0).verdict, FidelityVerdict::kInvalid);
  EXPECT_EQ(fidelity.rows.at(0).runs, 1u);
  EXPECT_EQ(fidelity.invalid,
            std::vector<std::string>{
                "pard lv tweet load 1 slo 500 ms emulated live.repeat=2 seed 1: invalid (load left late)"});
}

TEST(Fidelity, ACellSkippedByBothSaysNothingByOneIsInvalid) {
  Rows rows = {test_cell("pard", 900), repeat(1, 900)};
  rows[0].status = "skipped";
  EXPECT_EQ(fidelity_of(rows, goodput_alone()).rows.at(0).verdict, FidelityVerdict::kInvalid);
  rows[1].status = "skipped";
  EXPECT_TRUE(fidelity_of(rows, goodput_alone()).rows.empty());
  EXPECT_EQ(fidelity_of(rows, goodput_alone()).invalid.size(), 2u);
}

TEST(Fidelity, LiveSettingsMakeCellsBesideTheOneSimulation) {
  const Rows rows = {test_cell("pard", 900), repeat(1, 900, " live.gpus_per_rank=1"),
                     repeat(1, 800, " live.gpus_per_rank=8"), repeat(2, 900, " live.gpus_per_rank=1")};
  const Fidelity fidelity = fidelity_of(rows, goodput_alone());
  ASSERT_EQ(fidelity.rows.size(), 2u);
  EXPECT_EQ(fidelity.rows[0].cell.parameters, "live.gpus_per_rank=1");
  EXPECT_EQ(fidelity.rows[0].runs, 2u);
  EXPECT_EQ(fidelity.rows[0].verdict, FidelityVerdict::kWithin);
  EXPECT_EQ(fidelity.rows[1].verdict, FidelityVerdict::kBeyond);
}

/// Swept live settings multiply only the cells on devices; a system's own settings are in its simulated cell
/// too.
TEST(Fidelity, SettingsOfDevicesMakeCellsBesideTheOneSimulation) {
  Rows rows = {test_cell("pard", 900), test_cell("nexus", 900, 1, "gpu.threads=4"),
               live_cell("pard", 900, "gpu.threads=2 gpu.exchange=nccl"),
               live_cell("pard", 800, "gpu.threads=1 server.connections=7"),
               live_cell("nexus", 900, "gpu.threads=4")};
  const Fidelity fidelity = fidelity_of(rows, goodput_alone());
  EXPECT_TRUE(fidelity.alone.empty());
  ASSERT_EQ(fidelity.rows.size(), 3u);
  EXPECT_EQ(fidelity.rows[0].cell.parameters, "gpu.exchange=nccl gpu.threads=2");
  EXPECT_EQ(fidelity.rows[0].verdict, FidelityVerdict::kWithin);
  EXPECT_EQ(fidelity.rows[1].verdict, FidelityVerdict::kBeyond);
  EXPECT_EQ(fidelity.rows[2].verdict, FidelityVerdict::kWithin);
}

TEST(Fidelity, CellsWithoutACounterpartAreNamed) {
  const Rows rows = {test_cell("naive", 900), repeat(1, 900), repeat(2, 900)};
  const Fidelity fidelity = fidelity_of(rows, goodput_alone());
  EXPECT_TRUE(fidelity.rows.empty());
  const std::string workload = " lv tweet load 1 slo 500 ms";
  EXPECT_EQ(fidelity.alone,
            (std::vector<std::string>{"pard" + workload + " emulated seed 1: no simulated cell",
                                      "naive" + workload + " seed 1: no live cell"}));
  EXPECT_EQ(fidelity.live_alone, 1u);
}

/// If each of several runs has a simulation that scatters with it, only the remaining scatter counts.
TEST(Fidelity, EachRepeatBesideItsOwnSimulation) {
  const auto pair = [](int number, double live, double simulated) {
    return LivePair{repeat(number, live), test_cell("pard", simulated)};
  };
  std::vector<LivePair> pairs = {pair(1, 900, 890), pair(2, 700, 695), pair(3, 500, 510)};
  const FidelityRow row = fidelity_of(pairs, goodput_alone()).rows.at(0);
  EXPECT_EQ(row.cell.parameters, "");
  EXPECT_EQ(row.runs, 3u);
  EXPECT_NEAR(row.live, 0.7, 1e-12);
  EXPECT_NEAR(row.simulated, 2095 / 3000.0, 1e-12);
  EXPECT_NEAR(row.difference, 5 / 3000.0, 1e-12);
  EXPECT_NEAR(row.half_range, 0.01, 1e-12);  // differences of +1, +0.5 and -1 points
  EXPECT_EQ(row.verdict, FidelityVerdict::kWithin);
  pairs[1].simulated = test_cell("pard", 725);  // -2.5 points: the mean is well within, the half-range is not
  EXPECT_EQ(fidelity_of(pairs, goodput_alone()).rows.at(0).verdict, FidelityVerdict::kBeyond);
  pairs[1].live.status = "invalid";
  pairs[1].live.why = "load left late";
  const Fidelity invalid = fidelity_of(pairs, goodput_alone());
  EXPECT_EQ(invalid.rows.at(0).verdict, FidelityVerdict::kInvalid);
  EXPECT_EQ(invalid.rows.at(0).runs, 2u);
  EXPECT_NEAR(invalid.rows.at(0).simulated, 0.7, 1e-12) << "of the other two";
  EXPECT_NEAR(invalid.rows.at(0).difference, 0, 1e-12);
  EXPECT_EQ(invalid.invalid.size(), 1u);
}

}  // namespace
}  // namespace harness

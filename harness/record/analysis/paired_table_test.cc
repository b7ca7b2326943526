#include "harness/record/analysis/paired_table.h"

#include <gtest/gtest.h>

#include <cmath>

#include "harness/record/analysis/paired_spread.h"
#include "harness/record/run/test_cells.h"

namespace harness {
namespace {

SummaryRow row_of(const std::string& system, const std::string& variant, std::uint64_t seed, double goodput,
                  const std::string& parameters = "") {
  SummaryRow row = test_row(system, parameters, seed);
  row.cell.variant = variant;
  row = grouped(row);
  row["goodput_rps"] = goodput;
  return row;
}

std::vector<std::string> names_of(const WorkloadCells& cells) {
  std::vector<std::string> names;
  for (const SeriesCells& series : cells.series) names.push_back(series.name);
  return names;
}

using Names = std::vector<std::string>;

TEST(Paired, DifferencesAreTakenSeedBySeed) {
  // Seeds differ far more than systems: 90 - 100, 188 - 200, 286 - 300; seed 4 and 5 have no partner.
  const std::vector<SummaryRow> rows = {row_of("pard", "default", 1, 100),  row_of("pard", "default", 2, 200),
                                        row_of("pard", "default", 3, 300),  row_of("pard", "default", 4, 900),
                                        row_of("nexus", "default", 3, 286), row_of("nexus", "default", 1, 90),
                                        row_of("nexus", "default", 2, 188), row_of("nexus", "default", 5, 1)};
  const std::vector<WorkloadCells> workloads = by_workload(rows);
  ASSERT_EQ(workloads.size(), 1u);
  EXPECT_EQ(workloads[0].workload, "lv tweet load 1 slo 500 ms");
  const SeriesCells* pard = workloads[0].find("pard");
  const SeriesCells* nexus = workloads[0].find("nexus");
  ASSERT_TRUE(pard != nullptr && nexus != nullptr);
  const PairedSpread paired = paired_over_seeds(*nexus, *pard, "goodput_rps");
  EXPECT_EQ(paired.difference.n, 3u);
  EXPECT_DOUBLE_EQ(paired.difference.mean, -12);
  EXPECT_DOUBLE_EQ(paired.difference.deviation, 2);
  EXPECT_NEAR(paired.difference.half_width, 4.30265 * 2 / std::sqrt(3.0), 1e-4);
  EXPECT_NEAR(paired.ratio.mean, (0.9 + 0.94 + 286.0 / 300) / 3, 1e-12);
  EXPECT_DOUBLE_EQ(spread_over_seeds(*pard, "goodput_rps").mean, 375);
  const PairedSpread itself = paired_over_seeds(*pard, *pard, "goodput_rps");
  EXPECT_EQ(itself.difference.mean, 0);
  EXPECT_EQ(itself.ratio.half_width, 0);
}

TEST(Paired, ABaselineOfZeroHasADifferenceAndNoRatio) {
  const std::vector<SummaryRow> rows = {row_of("pard", "default", 1, 0), row_of("nexus", "default", 1, 5)};
  const std::vector<WorkloadCells> workloads = by_workload(rows);
  const PairedSpread paired =
      paired_over_seeds(workloads[0].series[1], workloads[0].series[0], "goodput_rps");
  EXPECT_EQ(paired.difference.mean, 5);
  EXPECT_EQ(paired.ratio.n, 0u);
}

TEST(Paired, RowsAreGroupedByTheirColumnsAndSharedParametersShown) {
  std::vector<SummaryRow> rows;
  for (const char* workers : {"8", "16"}) {
    for (const char* own : {"", " cluster.jitter=off", " pard.lambda=1"})
      rows.push_back(row_of("pard", "default", 1, 1, "cluster.workers=" + std::string(workers) + own));
    rows[rows.size() - 2].cell.series = "pard/steady";  // its own settings are no part of the workload
    rows[rows.size() - 2].cell.workload = rows.back().cell.workload;
  }
  const std::vector<WorkloadCells> workloads = by_workload(rows);
  ASSERT_EQ(workloads.size(), 2u);
  EXPECT_EQ(workloads[1].workload, "lv tweet load 1 slo 500 ms cluster.workers=16");
  for (const WorkloadCells& cells : workloads)
    EXPECT_EQ(names_of(cells), (Names{"pard", "pard/steady", "pard lambda=1"}));
  const TextTable table = paired_table(workloads, "goodput_rps", "pard");
  EXPECT_NE(csv_text(table).find(",cluster.workers=16,pard/steady,"), std::string::npos) << csv_text(table);
}

TEST(Paired, CellsThatDidNotRunAndRepeatedSeedsAreLeftOut) {
  std::vector<SummaryRow> rows = {row_of("pard", "default", 1, 1), row_of("pard", "default", 1, 2),
                                  row_of("pard", "default", 2, 3)};
  rows[2].status = "skipped";
  const std::vector<WorkloadCells> workloads = by_workload(rows);
  ASSERT_EQ(workloads.size(), 1u);
  ASSERT_EQ(workloads[0].series[0].rows.size(), 1u);
  EXPECT_EQ((*workloads[0].series[0].rows[0])["goodput_rps"], 1);
}

/// Returns the text of a column in a row of the table, as in CSV.
std::string shown(const TextTable& table, std::size_t row, const std::string& column) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].name == column) return table.rows[row][i].text;
  }
  return "no such column";
}

// Drop rates of 0 and 0.2: mean 0.1, half of the interval 12.7 times 0.1.
TEST(Paired, IntervalsOfSharesStayWithinZeroAndOne) {
  std::vector<SummaryRow> rows = {row_of("pard", "default", 1, 100), row_of("pard", "default", 2, 1)};
  rows[0]["drop_rate"] = 0;
  rows[1]["drop_rate"] = 0.2;
  const TextTable table = paired_table(by_workload(rows), "drop_rate", "pard");
  EXPECT_EQ(shown(table, 0, "drop_rate"), "0.1");
  EXPECT_EQ(shown(table, 0, "drop_rate_low"), "0");
  EXPECT_EQ(shown(table, 0, "drop_rate_high"), "1");
  const TextTable goodput = paired_table(by_workload(rows), "goodput_rps", "pard");
  EXPECT_EQ(shown(goodput, 0, "goodput_rps_low"), "0") << "50.5 - 629";
  EXPECT_NE(shown(goodput, 0, "goodput_rps_high"), "");
  EXPECT_EQ(
      shown(paired_table(by_workload(std::span(rows).first(1)), "drop_rate", "pard"), 0, "drop_rate_low"),
      "");
}

// The second seed's run sent nothing, the third's completed nothing.
TEST(Paired, MeansAreOfTheSeedsThatHaveAValueAndSaySo) {
  std::vector<SummaryRow> rows = {row_of("pard", "default", 1, 10), row_of("pard", "default", 2, 0),
                                  row_of("pard", "default", 3, 0)};
  rows[0]["latency_ms_p99"] = 38.9;
  rows[1].status = "skipped";
  rows[2]["latency_ms_p99"] = kNoValue;
  const TextTable table = paired_table(by_workload(rows), "latency_ms_p99", "pard");
  EXPECT_EQ(shown(table, 0, "seeds"), "1");
  EXPECT_EQ(shown(table, 0, "latency_ms_p99"), "38.9");
  EXPECT_EQ(shown(table, 0, "pairs"), "1");
}

}  // namespace
}  // namespace harness

#include "harness/record/analysis/summary_table.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace harness {
namespace {

std::vector<SummaryRow> two_rows() {
  std::vector<SummaryRow> rows(2);
  rows[0].cell.system = "pard";
  rows[0].cell.load = 1.0 / 3;
  rows[0].sent = 12'345'678'901;
  rows[1].cell.system = "clipperpp";
  rows[1].cell.load = 10;
  rows[1].why = "a \"quoted\", comma\nand line";
  return rows;
}

TEST(SummaryText, TableIsAligned) {
  EXPECT_EQ(aligned_text(summary_table(two_rows(), {"system", "load", "sent"})),
            "system         load         sent\n"
            "pard       0.333333  12345678901\n"
            "clipperpp        10            0\n");
}

TEST(SummaryText, EmptyTextShowsAsADash) {
  EXPECT_EQ(aligned_text(summary_table(two_rows(), {"variant", "seed"})),
            "variant  seed\n-           0\n-           0\n");
}

TEST(SummaryText, CsvQuotesAndKeepsFullPrecision) {
  EXPECT_EQ(csv_text(summary_table(two_rows(), {"load", "why"})),
            "load,why\n0.3333333333333333,\n10,\"a \"\"quoted\"\", comma\nand line\"\n");
}

TEST(SummaryText, JsonEscapesAndKeepsFullPrecision) {
  EXPECT_EQ(json_text(summary_table(two_rows(), {"load", "why"})),
            "[\n  {\"load\": 0.3333333333333333, \"why\": \"\"},\n"
            "  {\"load\": 10, \"why\": \"a \\\"quoted\\\", comma\\u000aand line\"}\n]");
  EXPECT_EQ(json_text(summary_table({}, {"load"})), "[]");
}

TEST(SummaryText, AValueThatDoesNotExistIsADashNothingOrNull) {
  std::vector<SummaryRow> rows(1);
  rows[0]["drop_rate"] = 0;
  const std::vector<std::string> columns = {"seed", "drop_share_last", "drop_rate"};
  EXPECT_EQ(aligned_text(summary_table(rows, columns)),
            "seed  drop_share_last  drop_rate\n   0                -          0\n");
  EXPECT_EQ(csv_text(summary_table(rows, columns)), "seed,drop_share_last,drop_rate\n0,,0\n");
  EXPECT_EQ(json_text(summary_table(rows, columns)),
            "[\n  {\"seed\": 0, \"drop_share_last\": null, \"drop_rate\": 0}\n]");
}

TEST(SummaryText, UsualColumnsGrowWhenTheyTellSomething) {
  std::vector<SummaryRow> rows(1);
  const auto has = [&](const std::string& name) {
    const std::vector<std::string> names = usual_columns(rows);
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  EXPECT_TRUE(has("bound_share"));
  EXPECT_FALSE(has("parameters"));
  EXPECT_FALSE(has("why"));
  EXPECT_FALSE(has("accuracy"));
  EXPECT_FALSE(has("answers"));
  EXPECT_FALSE(has("path_violation_rate"));
  rows[0].cell.parameters = "lambda=0.1";
  rows[0].status = "skipped";
  rows[0]["accuracy"] = 0.9;
  rows[0].cell.answers = "whole";
  rows[0]["path_violation_rate"] = 0.1;
  EXPECT_TRUE(has("answers"));
  EXPECT_TRUE(has("path_violation_rate"));
  EXPECT_TRUE(has("accuracy"));
  EXPECT_TRUE(has("parameters"));
  EXPECT_TRUE(has("why"));
  rows[0].status = "ok";
  EXPECT_FALSE(has("why"));
  rows[0].why = "no other run repeats it";
  EXPECT_TRUE(has("why"));
}

TEST(SummaryText, ACellWithoutResultsShowsNoneAsNumbers) {
  std::vector<SummaryRow> rows(1);
  rows[0].cell.system = "pard";
  rows[0].cell.seed = 7;
  rows[0].slo_ms = 5;
  rows[0].status = "skipped";
  EXPECT_EQ(aligned_text(summary_table(rows, {"system", "seed", "slo_ms", "goodput_rps", "sent"})),
            "system  seed  slo_ms  goodput_rps  sent\npard       7       5            -     -\n");
  rows[0].status = "invalid";  // given up
  EXPECT_EQ(aligned_text(summary_table(rows, {"system", "sent"})), "system  sent\npard       -\n");
  rows[0].sent = 3;  // a load that left late has its numbers
  EXPECT_EQ(aligned_text(summary_table(rows, {"system", "sent"})), "system  sent\npard       3\n");
}

TEST(SummaryText, EveryUsualColumnExists) {
  const std::vector<std::string> all = summary_columns();
  std::vector<SummaryRow> rows(1);
  rows[0].cell.parameters = "x=1";
  rows[0]["accuracy"] = 1;
  rows[0].cell.answers = "whole";
  rows[0]["path_violation_rate"] = 0;
  rows[0].status = "invalid";
  for (const std::string& name : usual_columns(rows))
    EXPECT_EQ(std::count(all.begin(), all.end(), name), 1) << name;
}

}  // namespace
}  // namespace harness

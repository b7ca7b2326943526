#include "harness/record/analysis/comparison_text.h"

#include <gtest/gtest.h>

#include "harness/core/test_refusal.h"
#include "harness/record/run/test_cells.h"
#include "harness/text/test_squeezed.h"

namespace harness {
namespace {

Comparison worse() {
  Rows base = {test_cell("pard", 900), test_cell("nexus", 700)};
  Rows now = {test_cell("nexus", 700), test_cell("pard", 850)};
  base[0].fingerprint = now[1].fingerprint = "a";
  base[1].fingerprint = "b";
  return compare(base, now, usual_metrics());
}

TEST(ComparisonText, TheTableNamesWhatBecameWorseAndWhere) {
  const std::string table = squeezed(comparison_table(worse()));
  EXPECT_TRUE(
      holds(table,
            "pard slo_attainment 1 90% 85% -5 pt - -5 pt 1 pt regression lv tweet load 1 slo 500 ms seed 1\n",
            "1 of 2 simulated cells has the same fingerprint\n", "same fingerprint, other metrics: pard lv",
            "2 cells compared: 2 regressions, 0 better\n"));
}

TEST(ComparisonText, TheTableNamesWhatIsMissing) {
  const Rows rows = {test_cell("pard", 900), test_cell("nexus", 700)};
  const std::string table = comparison_table(compare(rows, Rows{rows[0]}, usual_metrics()));
  EXPECT_TRUE(holds(table, "not comparable: nexus lv tweet load 1 slo 500 ms seed 1: only in the base\n",
                    "1 cell compared: 0 regressions, 0 better; not comparable in 1 respect\n"));
}

TEST(ComparisonText, JUnitHasACaseForEachSeriesAndMetric) {
  EXPECT_TRUE(holds(comparison_junit(worse()),
                    "<testsuite name=\"compare\" tests=\"10\" failures=\"2\" skipped=\"0\" errors=\"0\">",
                    "<testcase classname=\"pard\" name=\"drop_rate\" time=\"0\">\n      <failure message="
                    "\"regression: 10%, now 15%; worst +5 pt (tolerance 1 pt) in lv tweet"));
}

TEST(ComparisonText, JsonHoldsNumbersInFull) {
  EXPECT_TRUE(holds(comparison_json(worse()), "\"regressions\": 2,",
                    "\"metric\": \"drop_rate\", \"better\": \"lower\", \"cells\": 1, \"base\": 0.1, "
                    "\"now\": 0.15, ",
                    "\"difference_95\": null"));
}

}  // namespace
}  // namespace harness

#include "harness/record/analysis/report_text.h"

#include <gtest/gtest.h>

#include <cmath>

#include "harness/core/test_refusal.h"
#include "harness/record/analysis/text_table.h"
#include "harness/record/run/test_cells.h"

namespace harness {
namespace {

/// Returns the text with one space in the place of several.
std::string squeezed(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c != ' ' || !result.ends_with(' ')) result += c;
  }
  return result;
}

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

TextTable small_table() {
  TextTable table;
  const char* names[] = {"a|b", "c_d", "e"};
  const double values[] = {2, kNoValue, 0.125};
  for (int i = 0; i < 3; ++i) {
    table.add_row();
    table.add({"system"}, std::string(names[i]));
    table.add({"rate_%", "rate %"}, values[i]);
  }
  return table;
}

TEST(TextTables, AreTablesOfPagesToo) {
  EXPECT_EQ(markdown_text(small_table()),
            "| system | rate % |\n|---|---:|\n| a\\|b | 2 |\n| c_d |  |\n| e | 0.125 |\n");
  EXPECT_EQ(
      latex_text(small_table()),
      "\\begin{tabular}{lr}\n\\toprule\nsystem & rate \\% \\\\\n\\midrule\na|b & 2 \\\\\nc\\_d &  \\\\\n"
      "e & 0.125 \\\\\n\\bottomrule\n\\end{tabular}\n");
}

TEST(TextTables, KeepAndSortRows) {
  TextTable table = small_table();
  EXPECT_TRUE(sort_rows(table, "rate %", false));
  EXPECT_EQ(csv_text(table), "system,rate_%\ne,0.125\na|b,2\nc_d,\n") << "no value comes last";
  EXPECT_TRUE(sort_rows(table, "rate_%", true));
  EXPECT_EQ(csv_text(table), "system,rate_%\na|b,2\ne,0.125\nc_d,\n");
  EXPECT_TRUE(keep_rows(table, "system", {"e", "c_d"}));
  EXPECT_EQ(table.rows.size(), 2U);
  EXPECT_FALSE(keep_rows(table, "no", {}));
  EXPECT_FALSE(sort_rows(table, "no", false));
}

TEST(TextTables, ShowNoControlCharacters) {
  TextTable table;
  table.add_row();
  table.add({"name"}, std::string("a\x1b[2J\nb\xc2\x9b"
                                  "c\x7f\x9b"));
  table.add({"why", "why", 5}, std::string("one\ntwo \x1b"));
  EXPECT_EQ(aligned_text(table),
            "name                            why\na\\x1b[2J\\x0ab\\xc2\\x9bc\\x7f\\x9b  one\n"
            "                                two\n                                \\x1b\n");
  EXPECT_EQ(json_text(table),
            "[\n  {\"name\": \"a\\u001b[2J\\u000ab\\u009bc\\u007f\\ufffd\", \"why\": \"one\\u000atwo "
            "\\u001b\"}\n]");
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

TEST(FidelityText, TheTableShowsPointsAndNamesWhatIsNotOk) {
  Rows rows = {test_cell("pard", 900), live_cell("pard", 905, "live.repeat=1"),
               live_cell("pard", 899, "live.repeat=2"), test_cell("naive", 500),
               live_cell("naive", 450, "live.repeat=1")};
  rows[4].status = "invalid";
  rows[4].why = "load left late";
  const Fidelity fidelity = fidelity_of(rows, {rate_metrics().front()});
  const std::string table = squeezed(fidelity_table(fidelity));
  EXPECT_TRUE(holds(table, "slo_attainment 2 90% 90.2% +0.2 pt 0.3 pt 1 pt within\n",
                    "slo_attainment 0 50% - - - 1 pt invalid\n",
                    "not ok: naive lv tweet load 1 slo 500 ms emulated live.repeat=1 seed 1: invalid",
                    "2 comparisons: 1 within their tolerance, 0 beyond, 1 invalid\n"));
  EXPECT_TRUE(holds(fidelity_junit(fidelity), "tests=\"2\" failures=\"1\""));
  EXPECT_TRUE(holds(fidelity_json(fidelity), "\"within\": 1,\n\"beyond\": 0,\n\"invalid\": 1,"));
}

TEST(TextTable, PeopleAndProgramsReadTheirOwnColumns) {
  TextTable table;
  for (const double value : {0.5, 1.0 / 3, static_cast<double>(NAN)}) {
    table.add_row();
    table.add({"", "what"}, "a, b");
    table.add({"value", "short", 6}, value, "one two three");
    table.add({"is_half", ""}, value == 0.5);
  }
  EXPECT_EQ(csv_text(table), "value,is_half\n0.5,true\n0.3333333333333333,false\n,false\n");
  EXPECT_TRUE(json_text(table).starts_with("[\n  {\"value\": 0.5, \"is_half\": true},\n"));
  EXPECT_TRUE(holds(json_text(table), "{\"value\": null, \"is_half\": false}\n]"));
  EXPECT_TRUE(aligned_text(table).starts_with("what  short\na, b    one\n        two\n      three\n"))
      << aligned_text(table);
}

TEST(JUnitText, TextsAreEscapedAndOutcomesCounted) {
  const std::string xml = junit_text("s", {{"a&b", "<x>", JUnitCase::Result::kPassed, "unused", "\"o\"\x01"},
                                           {"a", "y", JUnitCase::Result::kSkipped, "why", ""},
                                           {"a", "z", JUnitCase::Result::kError, "what", ""}});
  EXPECT_TRUE(holds(xml, "tests=\"3\" failures=\"0\" skipped=\"1\" errors=\"1\"",
                    "classname=\"a&amp;b\" name=\"&lt;x&gt;\"", "<system-out>&quot;o&quot; </system-out>",
                    "<skipped message=\"why\"/>"));
  EXPECT_FALSE(holds(xml, "unused"));
}

TEST(LengthNotes, SayWhatDependsOnTheLengthOfTheRun) {
  std::vector<SummaryRow> rows(6);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].cell.index = static_cast<std::uint32_t>(i);
    rows[i].cell.series = i % 2 == 0 ? "naive" : "pard";
    rows[i].queue_trend = "steady";
  }
  EXPECT_TRUE(length_notes(rows).empty());
  rows[2].queue_trend = rows[4].queue_trend = "growing";
  rows[5].queue_trend = "unclear";
  EXPECT_EQ(length_notes(rows),
            (std::vector<std::string>{
                "overload: cells 2 and 4 (naive) depend on the length of the run: the queue still grew "
                "(queue_trend)",
                "cell 5 (pard): the run is too short, or its load too varied, to tell whether the queue "
                "still grew (queue_trend)"}));
  rows[4].queue_trend = rows[5].queue_trend = "";
  for (SummaryRow& row : rows) row.measured_from_s = 20;
  EXPECT_EQ(length_notes(rows).front(),
            "requests sent in the first 20 s are not counted (workload.measure_from_s)");
  EXPECT_EQ(length_notes(rows).back(),
            "overload: cell 2 (naive) depends on the length of the run: the queue still grew (queue_trend)");
}

}  // namespace
}  // namespace harness

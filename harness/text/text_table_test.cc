#include "harness/text/text_table.h"

#include <gtest/gtest.h>

#include <cmath>

#include "harness/core/test_refusal.h"

namespace harness {
namespace {

TextTable small_table() {
  TextTable table;
  const char* names[] = {"a|b", "c_d", "e"};
  const double values[] = {2, NAN, 0.125};
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

}  // namespace
}  // namespace harness

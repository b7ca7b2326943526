#include "harness/text/fitted_text.h"

#include <gtest/gtest.h>

#include <sstream>

#include "harness/core/test_refusal.h"

namespace harness {
namespace {

constexpr const char* kHow = "all: --csv";

/// Returns a table of two rows; `runtime` is the same in both, `why` is long in the second.
TextTable example() {
  TextTable table;
  for (const int seed : {1, 2}) {
    table.add_row();
    table.add({"system"}, std::string(seed == 1 ? "pard" : "nexus"));
    table.add({"runtime"}, std::string("simulated"));
    table.add({"seed"}, seed);
    table.add({"goodput_rps"}, 1000.5 * seed);
    table.add({"why"}, std::string(seed == 1 ? "" : "a reason that is longer than any other text"));
  }
  return table;
}

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, line.size());
  return widest;
}

TEST(FittedText, IsTheTableWhereThatFitsOrNoWidthIsGiven) {
  const std::string table = aligned_text(example());
  EXPECT_EQ(fitted_text(example(), 0, kHow), table);
  EXPECT_EQ(fitted_text(example(), widest_line(table), kHow), table);
  EXPECT_EQ(fitted_text(TextTable{}, 5, kHow), aligned_text(TextTable{}));
}

TEST(FittedText, SaysOnceWhatEveryRowSays) {
  const std::string text = fitted_text(example(), widest_line(aligned_text(example())) - 1, kHow);
  EXPECT_EQ(text,
            "every row: runtime simulated\n"
            "system  seed  goodput_rps  why\n"
            "pard       1       1000.5  -\n"
            "nexus      2         2001  a reason that is longer than any other text\n");
}

TEST(FittedText, CutsLongTextsNextAndSaysSo) {
  EXPECT_EQ(fitted_text(example(), 45, kHow),
            "every row: runtime simulated\n"
            "system  seed  goodput_rps  why\n"
            "pard       1       1000.5  -\n"
            "nexus      2         2001  a reason that i...\n"
            "cut: why\n"
            "all: --csv\n");
}

TEST(FittedText, LeavesTheLastColumnsOutWhenNothingElseHelps) {
  EXPECT_EQ(fitted_text(example(), 28, kHow),
            "every row:\n  runtime simulated\n"
            "system  seed  goodput_rps\n"
            "pard       1       1000.5\n"
            "nexus      2         2001\n"
            "left out: why\n"
            "all: --csv\n");
}

TEST(FittedText, KeepsWithinAnyWidthOfAFirstColumn) {
  const std::string whole = aligned_text(example());
  for (std::size_t width = 20; width < widest_line(whole); ++width)
    EXPECT_LE(widest_line(fitted_text(example(), width, kHow)), width) << width;
}

TEST(FittedText, CutsNoCharacterInTwo) {
  TextTable table;
  table.add_row();
  table.add({"why"}, std::string("\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4"));
  for (std::size_t width = 12; width < 22; ++width) {
    const std::string text = fitted_text(table, width, kHow);
    EXPECT_TRUE(holds(text, "\u00e4...\n"));
    EXPECT_EQ(text.find('\\'), std::string::npos);
  }
}

TEST(FittedText, KeepsAColumnWhereAllRowsAreTheSame) {
  TextTable table;
  for (int i = 0; i < 2; ++i) {
    table.add_row();
    table.add({"system"}, std::string("pard"));
    table.add({"pipeline"}, std::string("lv"));
  }
  EXPECT_EQ(fitted_text(table, 15, kHow), "every row:\n  system pard\npipeline\nlv\nlv\n");
}

}  // namespace
}  // namespace harness

#include "harness/record/analysis/cell_pairs.h"

#include <gtest/gtest.h>

#include "harness/record/run/test_cells.h"

namespace harness {
namespace {

TEST(CellPairs, CellsArePairedByWhatTheyAreWhereverTheyStand) {
  Rows base = {test_cell("naive", 900, 0.8), test_cell("pard", 950, 0.8), test_cell("pard", 800, 1.2)};
  Rows now = {base[2], base[0], base[1]};
  for (std::size_t i = 0; i < 3; ++i) {
    base[i].cell.index = static_cast<std::uint32_t>(i);
    now[i].cell.index = static_cast<std::uint32_t>(i);
    now[i].cell.input_hash = "another build";
  }
  const CellPairs cells = paired_cells(base, now);
  ASSERT_EQ(cells.pairs.size(), 3u);
  EXPECT_EQ(cells.pairs[0].now, &now[1]);
  EXPECT_EQ(cells.pairs[1].now, &now[2]);
  EXPECT_EQ(cells.pairs[2].now, &now[0]);
  EXPECT_TRUE(cells.only_base.empty() && cells.only_now.empty() && cells.twice.empty());
}

TEST(CellPairs, ALoadThatDiffersInItsLastBitsIsTheSameLoad) {
  const Rows base = {test_cell("pard", 900, 0.49717968750000013), test_cell("pard", 900, 0.498)};
  const Rows now = {test_cell("pard", 900, 0.49717968749999997), test_cell("pard", 900, 0.49800001)};
  const CellPairs cells = paired_cells(base, now);
  ASSERT_EQ(cells.pairs.size(), 1u);
  EXPECT_EQ(cells.only_base.size(), 1u);
  EXPECT_EQ(cells.only_now.size(), 1u);
}

TEST(CellPairs, WhatNamesACellTellsItFromOthers) {
  const SummaryRow row = test_cell("pard", 900);
  const Rows base = {row};
  Rows others(9, row);
  others[0].cell.system = "nexus";
  others[1].cell.variant = "back";
  others[2].cell.pipeline = "tm";
  others[3].cell.trace = "wiki";
  others[4].cell.load = 1.2;
  others[5].cell.seed = 2;
  others[6].cell.runtime = "emulated";
  others[7].cell.parameters = "pard.lambda=0.2";
  others[8].slo_ms = 400;
  for (SummaryRow& other : others) other = grouped(other);
  const CellPairs cells = paired_cells(base, others);
  EXPECT_TRUE(cells.pairs.empty());
  ASSERT_EQ(cells.only_base.size(), 1u);
  EXPECT_EQ(cells.only_now.size(), 9u);
  EXPECT_EQ(cells.only_base.front().name(), "pard lv tweet load 1 slo 500 ms seed 1");
  EXPECT_EQ(cells.only_now[1].name(), "pard/back lv tweet load 1 slo 500 ms seed 1");
  EXPECT_EQ(cells.only_now[6].name(), "pard lv tweet load 1 slo 500 ms emulated seed 1");
  EXPECT_EQ(cells.only_now[7].name(), "pard lambda=0.2 lv tweet load 1 slo 500 ms seed 1");
}

TEST(CellPairs, TheOrderOfParametersDoesNotCount) {
  const Rows base = {test_cell("pard", 900, 1, "a=1 b=2")};
  const Rows now = {test_cell("pard", 900, 1, "b=2 a=1")};
  EXPECT_EQ(paired_cells(base, now).pairs.size(), 1u);
}

TEST(CellPairs, WhatCountsAsAnAnswerTellsCellsApart) {
  CellIdentity cell;
  cell.answers = "whole";
  const CellKey whole = key_of(cell, 250);
  EXPECT_EQ(whole, key_of({}, 250)) << "an older file says nothing";
  cell.answers = "partial";
  const CellKey partial = key_of(cell, 250);
  EXPECT_NE(whole, partial);
  cell.parameters = "workload.answers=partial";
  EXPECT_EQ(key_of(cell, 250), partial) << "swept";
}

TEST(CellPairs, ACellThatComesTwiceIsNamed) {
  const Rows one = {test_cell("pard", 900)};
  const Rows two = {test_cell("pard", 900), test_cell("pard", 800)};
  const CellPairs cells = paired_cells(one, two);
  ASSERT_EQ(cells.pairs.size(), 1u);
  EXPECT_EQ(cells.pairs[0].now, two.data());
  EXPECT_EQ(cells.twice.size(), 1u);
}

TEST(CellPairs, ParametersAreLeftOutByNameOrPrefix) {
  const CellKey key =
      key_of(live_cell("pard", 900, "live.repeat=3 live.spin=true pard.lambda=0.2").cell, 500);
  EXPECT_EQ(without(key, kRepeatKey).parameters, "live.spin=true pard.lambda=0.2");
  EXPECT_EQ(without(key, "live.").parameters, "pard.lambda=0.2");
  EXPECT_EQ(without(key, "live").parameters, key.parameters);
  EXPECT_EQ(without(key, kRepeatKey).workload, "lv tweet load 1 slo 500 ms emulated live.spin=true");
  EXPECT_EQ(without(key, "live.").workload, "lv tweet load 1 slo 500 ms emulated");
}

TEST(CellPairs, AnotherLoadIsNamed) {
  const SummaryRow base = test_cell("pard", 900);
  const auto difference = [&](const SummaryRow& now) { return different_workload({CellKey(), &base, &now}); };
  SummaryRow now = base;
  EXPECT_EQ(difference(now), "");
  now.sent = 1001;
  EXPECT_EQ(difference(now), "sent 1000, now 1001");
  now.workers = 32;
  EXPECT_EQ(difference(now), "workers 64, now 32");
  now.duration_s = 60;
  EXPECT_EQ(difference(now), "duration_s 10, now 60");
}

}  // namespace
}  // namespace harness

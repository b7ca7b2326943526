#include "harness/live/protocol/layout.h"

#include <gtest/gtest.h>

#include <vector>

namespace harness {
namespace {

LiveParams with_gpus_per_rank(int gpus) {
  LiveParams params;
  params.gpus_per_rank = gpus;
  return params;
}

TEST(Layout, OneRankHasEverything) {
  const Layout layout(64, 1, with_gpus_per_rank(8));
  EXPECT_EQ(layout_fault(64, 1, with_gpus_per_rank(8)), "");
  for (int gpu = 0; gpu < 64; ++gpu) EXPECT_EQ(layout.rank_of(gpu), 0);
  EXPECT_EQ(layout.gpus(0), 64);
  EXPECT_EQ(layout.first_gpu(0), 0);
}

TEST(Layout, EightRanksOfEight) {
  for (const int given : {0, 8}) {
    const Layout layout(64, 9, with_gpus_per_rank(given));
    EXPECT_EQ(layout.gpus_per_rank(), 8);
    EXPECT_EQ(layout.rank_of(0), 1);
    EXPECT_EQ(layout.rank_of(7), 1);
    EXPECT_EQ(layout.rank_of(8), 2);
    EXPECT_EQ(layout.rank_of(63), 8);
    EXPECT_EQ(layout.gpus(0), 0);
    EXPECT_EQ(layout.first_gpu(8), 56);
  }
}

TEST(Layout, RanksThatSeeTheSameGpusTakeThemInTurn) {
  const Layout layout(10, 7, with_gpus_per_rank(2));
  // Two nodes of six GPUs, of which one rank on the second was given two of its own.
  const std::vector<std::uint64_t> sets = {5, 5, 5, 5, 8, 9, 8};
  const std::vector<int> first = {0, 0, 2, 4, 0, 0, 2};
  for (int rank = 0; rank < 7; ++rank)
    EXPECT_EQ(layout.first_device(rank, sets), first[static_cast<std::size_t>(rank)]) << "rank " << rank;
}

/// Expects that every GPU is on the rank that counts it, and that no rank exceeds its share.
TEST(Layout, EveryGpuIsOnOneRank) {
  for (int workers = 1; workers <= 20; ++workers) {
    for (int ranks = 1; ranks <= 24; ++ranks) {
      for (int given = 0; given <= 6; ++given) {
        const LiveParams params = with_gpus_per_rank(given);
        if (!layout_fault(workers, ranks, params).empty()) {
          EXPECT_LT((ranks - 1) * given, workers);
          continue;
        }
        const Layout layout(workers, ranks, params);
        int counted = 0;
        for (int rank = 0; rank < ranks; ++rank) {
          for (int i = 0; i < layout.gpus(rank); ++i)
            EXPECT_EQ(layout.rank_of(layout.first_gpu(rank) + i), rank);
          EXPECT_TRUE(ranks == 1 || given == 0 || layout.gpus(rank) <= given);
          counted += layout.gpus(rank);
        }
        EXPECT_EQ(counted, workers);
      }
    }
  }
}

TEST(Layout, AFaultNamesTheNumberOfRanksThatFits) {
  const std::string fault = layout_fault(64, 5, with_gpus_per_rank(8));
  EXPECT_NE(fault.find("5 ranks"), std::string::npos) << fault;
  EXPECT_NE(fault.find("-n 9 fits"), std::string::npos) << fault;
  EXPECT_EQ(layout_fault(64, 9, with_gpus_per_rank(8)), "");
  EXPECT_EQ(layout_fault(64, 12, with_gpus_per_rank(8)), "");
  EXPECT_NE(layout_fault(65, 9, with_gpus_per_rank(8)).find("-n 10 fits"), std::string::npos);
}

TEST(Layout, RanksWithoutAGpuAreIdle) {
  EXPECT_EQ(Layout(64, 9, with_gpus_per_rank(8)).idle_ranks(), 0);
  EXPECT_EQ(Layout(64, 12, with_gpus_per_rank(8)).idle_ranks(), 3);
  EXPECT_EQ(Layout(64, 12, with_gpus_per_rank(0)).idle_ranks(), 0) << "6 on each of 11";
  EXPECT_EQ(Layout(64, 41, with_gpus_per_rank(0)).idle_ranks(), 8) << "2 on each of 32";
  EXPECT_EQ(Layout(3, 9, with_gpus_per_rank(0)).idle_ranks(), 5);
  EXPECT_EQ(Layout(3, 1, with_gpus_per_rank(8)).idle_ranks(), 0);
  for (int workers = 1; workers <= 20; ++workers) {
    for (int ranks = 2; ranks <= 24; ++ranks) {
      const Layout layout(workers, ranks, with_gpus_per_rank(0));
      int without = 0;
      for (int rank = 1; rank < ranks; ++rank) without += layout.gpus(rank) == 0 ? 1 : 0;
      EXPECT_EQ(layout.idle_ranks(), without) << workers << " on " << ranks;
    }
  }
}

TEST(Layout, TheSendersCoreMustBeOneOfRankZero) {
  LiveParams params;
  const std::vector<int> allowed = {0, 1, 5};
  EXPECT_EQ(spin_core_fault(params, allowed), "");
  params.spin_core = 4;
  EXPECT_EQ(spin_core_fault(params, allowed), "") << "it does not spin";
  params.spin = true;
  EXPECT_EQ(spin_core_fault(params, allowed), "core 4, not among those that rank 0 may use: 0, 1, 5");
  EXPECT_EQ(spin_core_fault(params, {}), "");
  params.spin_core = 5;
  EXPECT_EQ(spin_core_fault(params, allowed), "");
  params.spin_core = -1;
  EXPECT_EQ(spin_core_fault(params, allowed), "");
}

}  // namespace
}  // namespace harness

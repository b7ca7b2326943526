#include "systems/shepherd/herd_packing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "harness/core/random_stream.h"

namespace harness {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Needs 9, 8, ... and sizes in tenths of the capacity.
std::vector<HerdItem> items_of_sizes(const std::vector<std::int64_t>& sizes) {
  std::vector<HerdItem> items;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    items.push_back({static_cast<int>(i), 9.0 - static_cast<double>(i), sizes[i], 0});
  return items;
}

TEST(LeastTops, CountVolumeAndLargeItems) {
  // By volume alone: 4 + 4 fit, the third 4 does not.
  EXPECT_EQ(least_tops(items_of_sizes({4, 4, 4, 1}), 10), (std::vector<double>{9, 7}));
  // Two of 6 exclude each other; the 4s go beside them.
  EXPECT_EQ(least_tops(items_of_sizes({6, 6, 4, 4}), 10), (std::vector<double>{9, 8}));
  // Beside 7s there is no room for 4s: three of 4 need two more groups.
  EXPECT_EQ(least_tops(items_of_sizes({7, 7, 4, 4, 4}), 10), (std::vector<double>{9, 8, 7, 5}));
}

TEST(LeastTops, KeepAffinitySetsApart) {
  std::vector<HerdItem> items = items_of_sizes({1, 1, 1});
  items[1].set = 1;
  EXPECT_EQ(least_tops(items, 10), (std::vector<double>{9, 8}));
}

std::vector<HerdItem> random_items(std::uint64_t seed, int count) {
  RandomStream stream(seed, "items");
  std::vector<HerdItem> items;
  for (int i = 0; i < count; ++i)
    items.push_back({i, 5 * stream.uniform(), 1 + static_cast<std::int64_t>(stream.below(600)),
                     static_cast<int>(stream.below(3))});
  std::sort(items.begin(), items.end(), [](const HerdItem& a, const HerdItem& b) { return a.need > b.need; });
  return items;
}

TEST(Pack, HoldsEveryItemOnceWithinMemoryAndNeverBeatsTheBound) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const std::vector<HerdItem> items = random_items(seed, 3 + static_cast<int>(seed % 40));
    const std::vector<double> least = least_tops(items, 1000);
    for (const int classes : {1, 2, static_cast<int>(items.size())}) {
      for (const bool best_fit : {false, true}) {
        const ItemGroups groups = pack(items, 1000, classes, best_fit);
        std::vector<int> seen;
        for (const std::vector<int>& group : groups) {
          std::int64_t bytes = 0;
          for (const int index : group) {
            bytes += items[static_cast<std::size_t>(index)].bytes;
            EXPECT_EQ(items[static_cast<std::size_t>(index)].set,
                      items[static_cast<std::size_t>(group[0])].set);
          }
          EXPECT_LE(bytes, 1000);
          seen.insert(seen.end(), group.begin(), group.end());
        }
        std::sort(seen.begin(), seen.end());
        ASSERT_EQ(seen.size(), items.size());
        for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], static_cast<int>(i));
        std::vector<double> tops = tops_of(items, groups);
        std::sort(tops.rbegin(), tops.rend());
        ASSERT_GE(tops.size(), least.size());
        for (std::size_t i = 0; i < least.size(); ++i) EXPECT_GE(tops[i], least[i]);
      }
    }
  }
}

TEST(BestPacking, KeepsTheNumberOfGroups) {
  const std::vector<HerdItem> items = items_of_sizes({6, 6, 6});
  EXPECT_FALSE(best_packing(items, {10, 10, 2, 10}, kInfinity).has_value());
  const auto found = best_packing(items, {10, 10, 3, 10}, kInfinity);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->groups.size(), 3U);
  // 24 need is on 10 GPUs: 3/9, 3/8, 4/7 is not the best, 4/9, 3/8, 3/7 is.
  EXPECT_EQ(found->sizes.tolerance, 3.0 / 8);
}

}  // namespace
}  // namespace harness

#include "systems/shepherd/group_sizes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/core/random_stream.h"

namespace harness {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

TEST(RequiredGpus, IsTheFewestWhoseQuotientReachesTheTolerance) {
  EXPECT_EQ(required_gpus(2, 3), 6);
  EXPECT_EQ(required_gpus(2, 2.9), 6);
  EXPECT_EQ(required_gpus(0.1, 1), 1);
  EXPECT_EQ(required_gpus(0, 100), 1);
  RandomStream stream(3, "required");
  for (int i = 0; i < 20'000; ++i) {
    const double need = stream.uniform_positive() * 8;
    const int gpus = 1 + static_cast<int>(stream.below(200));
    EXPECT_EQ(required_gpus(need, gpus / need), gpus);  // to the bit, whatever n t rounds to
    EXPECT_EQ(required_gpus(need, std::nextafter(gpus / need, kUnlimited)), gpus + 1);
  }
}

// Against every way to hand out the GPUs.
TEST(BestSizes, AreTheBestOfAll) {
  RandomStream stream(4, "sizes");
  for (int round = 0; round < 2'000; ++round) {
    const std::vector<double> tops = {stream.uniform_positive() * 4, stream.uniform_positive() * 4,
                                      stream.uniform_positive()};
    const int gpus = 2 + static_cast<int>(stream.below(10));
    const int limit = 1 + static_cast<int>(stream.below(8));
    double best = -1;
    for (int a = 1; a <= limit; ++a)
      for (int b = 1; b <= limit; ++b)
        for (int c = 1; c <= limit && a + b + c <= gpus; ++c)
          best = std::max(best, std::min({a / tops[0], b / tops[1], c / tops[2]}));
    const GroupSizes sizes = best_sizes(tops, gpus, limit);
    if (best < 0) {
      EXPECT_TRUE(sizes.gpus.empty());
      continue;
    }
    EXPECT_EQ(sizes.tolerance, best);
    EXPECT_LE(sizes.gpus[0] + sizes.gpus[1] + sizes.gpus[2], gpus);
  }
}

TEST(BestSizes, KnowGroupsWithoutLoad) {
  const GroupSizes sizes = best_sizes(std::vector<double>{2, 0}, 7, 10);
  EXPECT_EQ(sizes.tolerance, 3);
  EXPECT_EQ(sizes.gpus, (std::vector<int>{6, 1}));
  EXPECT_EQ(best_sizes(std::vector<double>{0}, 7, 10).tolerance, kUnlimited);
  EXPECT_EQ(best_sizes({}, 7, 10).tolerance, kUnlimited);
}

}  // namespace
}  // namespace harness

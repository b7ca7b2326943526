#include "harness/record/run/rank_interval.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <utility>

#include "harness/core/random_stream.h"

namespace harness {
namespace {

/// Returns P(at most k of n), each with probability p, computed term by term.
double binomial_up_to(std::int64_t k, std::uint64_t n, double p) {
  double sum = 0;
  for (std::int64_t i = 0; i <= k; ++i) {
    const double ways = std::lgamma(static_cast<double>(n) + 1) - std::lgamma(static_cast<double>(i) + 1) -
                        std::lgamma(static_cast<double>(n) - static_cast<double>(i) + 1);
    sum += std::exp(ways + static_cast<double>(i) * std::log(p) +
                    (static_cast<double>(n) - static_cast<double>(i)) * std::log1p(-p));
  }
  return sum;
}

// The values are from tables of order statistics: the median of 6 lies between the least and the largest
// (96.9 %), the median of 5 in no such interval (93.75 %); 0.99^367 is 2.5 %.
TEST(QuantileRanks, OfTables) {
  const auto ranks = [](std::uint64_t n, double q) {
    const RankInterval found = quantile_ranks_95(n, q);
    return std::pair(found.low, found.high);
  };
  EXPECT_EQ(ranks(5, 0.5), std::pair(std::uint64_t{0}, std::uint64_t{6}));
  EXPECT_EQ(ranks(6, 0.5), std::pair(std::uint64_t{1}, std::uint64_t{6}));
  EXPECT_EQ(ranks(10, 0.5), std::pair(std::uint64_t{2}, std::uint64_t{9}));
  EXPECT_EQ(ranks(100, 0.5), std::pair(std::uint64_t{40}, std::uint64_t{61}));
  EXPECT_EQ(ranks(3, 0.99), std::pair(std::uint64_t{2}, std::uint64_t{4}));
  EXPECT_EQ(ranks(367, 0.99).second, 368U);
  EXPECT_EQ(ranks(368, 0.99).second, 368U);
}

TEST(QuantileRanks, MissEitherEndWithAtMostOneInFortyAndAreTheNarrowestThatDo) {
  constexpr double kTail = 0.025;
  RandomStream random(1, "ranks");
  for (int i = 0; i < 300; ++i) {
    const std::uint64_t n = 1 + random.below(i < 200 ? 60 : 3000);
    const double q = i % 3 == 0 ? 0.5 : i % 3 == 1 ? 0.99 : 0.5 + 0.49 * random.uniform();
    const RankInterval ranks = quantile_ranks_95(n, q);
    const double slack =
        static_cast<double>(n) * (1 - q) > 400 ? 0.002 : 1e-9;  // of the normal approximation
    const auto low = static_cast<std::int64_t>(ranks.low);
    const auto high = static_cast<std::int64_t>(ranks.high);
    const auto above = static_cast<std::int64_t>(n) - high;  // that many values above `high`
    if (low > 0) {
      EXPECT_LE(binomial_up_to(low - 1, n, q), kTail + slack) << n << " " << q;
    }
    EXPECT_GT(binomial_up_to(low, n, q), kTail - slack) << n << " " << q;
    if (above >= 0) {
      EXPECT_LE(binomial_up_to(above, n, 1 - q), kTail + slack) << n << " " << q;
    }
    EXPECT_GT(binomial_up_to(above + 1, n, 1 - q), kTail - slack) << n << " " << q;
  }
}

}  // namespace
}  // namespace harness

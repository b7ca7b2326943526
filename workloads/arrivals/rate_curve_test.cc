#include "workloads/arrivals/rate_curve.h"

#include <gtest/gtest.h>

#include <cmath>

#include "harness/core/random_stream.h"

namespace harness {
namespace {

TEST(Smoothed, IsTheMeanOfTheBinsWithinTheWindow) {
  RandomStream random(1, "smooth");
  RateCurve curve{2, {}};
  for (int i = 0; i < 50; ++i) curve.rps.push_back(random.uniform() * 10);
  const RateCurve result = smoothed(curve, 14);  // 7 bins: 3 to each side
  ASSERT_EQ(result.rps.size(), 50U);
  for (int i = 0; i < 50; ++i) {
    double sum = 0, count = 0;
    for (int j = std::max(0, i - 3); j <= std::min(49, i + 3); ++j) {
      sum += curve.rps[static_cast<std::size_t>(j)];
      ++count;
    }
    EXPECT_NEAR(result.rps[static_cast<std::size_t>(i)], sum / count, 1e-12) << i;
  }
}

TEST(Smoothed, LeavesBinsLongerThanTheWindow) {
  const RateCurve curve{3600, {1, 5, 2}};
  EXPECT_EQ(smoothed(curve, 30), curve);
}

TEST(Interpolated, RunsStraightBetweenTheMiddles) {
  const RateCurve result = interpolated({4, {10, 20}}, 4);
  EXPECT_EQ(result.bin_s, 1);
  // Middles at 2 and 6; parts at 0.5, 1.5, ... 7.5.
  const std::vector<double> expected = {10, 10, 11.25, 13.75, 16.25, 18.75, 20, 20};
  ASSERT_EQ(result.rps.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_DOUBLE_EQ(result.rps[i], expected[i]) << i;
}

TEST(MeanAndPeak, AreOverTheReplayedPart) {
  const RateCurve curve{0.5, {1, 3, 10, 2, 100}};
  EXPECT_DOUBLE_EQ(mean_rps(curve, 2), 4);
  EXPECT_DOUBLE_EQ(mean_rps(curve, 1.25), (0.5 + 1.5 + 2.5) / 1.25);
  EXPECT_DOUBLE_EQ(peak_rps(curve, 2), 6);
  EXPECT_DOUBLE_EQ(peak_rps(curve, 0.5), 1);
}

// Poisson counts have an index of dispersion of 1, at a constant rate and at one that changes slowly; a bin
// that holds k times its share now and then has more.
TEST(Dispersion, TellsBurstsFromPoissonNoise) {
  constexpr double kWindowS = 30;
  int poisson = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    RandomStream random(seed, "counts");
    RateCurve even{1, std::vector<double>(1200, 0)};
    RateCurve bursty = even;
    for (std::size_t bin = 0; bin < even.rps.size(); ++bin) {
      const double mean = 2 + 38 * static_cast<double>(bin) / 1200;
      for (double t = random.exponential(); t < mean; t += random.exponential()) even.rps[bin] += 1;
      bursty.rps[bin] = even.rps[bin] * (random.below(20) == 0 ? 4 : 1);
    }
    EXPECT_NEAR(dispersion(even, kWindowS), 1, 5 * std::sqrt(2 / 1200.0)) << seed;
    EXPECT_GT(dispersion(bursty, kWindowS), 2) << seed;
    poisson += is_poisson_noise(even, kWindowS) ? 1 : 0;
    EXPECT_FALSE(is_poisson_noise(bursty, kWindowS)) << seed;
  }
  EXPECT_EQ(poisson, 40);
  EXPECT_EQ(dispersion({60, {1, 100}}, kWindowS), 1) << "a bin as long as the window";
}

}  // namespace
}  // namespace harness

#include "harness/core/random_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace harness {
namespace {

constexpr double kSigmas = 5;  // of the estimate's own standard error

struct Moments {
  double mean = 0;
  double variance = 0;
  double third = 0;   // central
  double fourth = 0;  // central
};

template <class Draw>
Moments moments_of(int count, Draw draw) {
  std::vector<double> values(static_cast<std::size_t>(count));
  for (double& value : values) value = draw();
  Moments moments;
  for (const double value : values) moments.mean += value / count;
  for (const double value : values) {
    const double d = value - moments.mean;
    moments.variance += d * d / count;
    moments.third += d * d * d / count;
    moments.fourth += d * d * d * d / count;
  }
  return moments;
}

TEST(RandomStream, UniformHasTheMomentsOfU01) {
  constexpr int kCount = 1'000'000;
  RandomStream stream(7, "uniform");
  const Moments moments = moments_of(kCount, [&] { return stream.uniform(); });
  EXPECT_NEAR(moments.mean, 0.5, kSigmas * std::sqrt(1.0 / 12 / kCount));
  EXPECT_NEAR(moments.variance, 1.0 / 12, kSigmas * std::sqrt((1.0 / 80 - 1.0 / 144) / kCount));
  EXPECT_NEAR(moments.third, 0.0, kSigmas * std::sqrt(1.0 / 448 / kCount));
  EXPECT_NEAR(moments.fourth, 1.0 / 80, 1e-4);
}

TEST(RandomStream, UniformFillsItsBinsEvenlyAndStaysInside) {
  constexpr int kCount = 1'000'000;
  std::array<int, 100> bins{};
  RandomStream stream(8, "bins");
  for (int i = 0; i < kCount; ++i) {
    const double value = stream.uniform();
    ASSERT_GE(value, 0.0);
    ASSERT_LT(value, 1.0);
    ++bins[static_cast<std::size_t>(value * 100)];
    const double positive = stream.uniform_positive();
    ASSERT_GT(positive, 0.0);
    ASSERT_LE(positive, 1.0);
  }
  double chi2 = 0;
  for (const int bin : bins) chi2 += (bin - 1e4) * (bin - 1e4) / 1e4;
  EXPECT_LT(chi2, 99 + kSigmas * std::sqrt(2.0 * 99));
  EXPECT_GT(chi2, 99 - kSigmas * std::sqrt(2.0 * 99));
}

TEST(RandomStream, SuccessiveDrawsAreUncorrelated) {
  constexpr int kCount = 1'000'000;
  RandomStream stream(9, "lag");
  double previous = stream.uniform() - 0.5;
  double sum = 0;
  for (int i = 0; i < kCount; ++i) {
    const double next = stream.uniform() - 0.5;
    sum += previous * next;
    previous = next;
  }
  EXPECT_NEAR(sum / kCount * 12, 0.0, kSigmas / std::sqrt(kCount));
}

TEST(RandomStream, SameKeySameStreamWhateverOthersDrew) {
  RandomStream one(42, "jitter", 3);
  RandomStream other(42, "arrivals", 3);
  RandomStream again(42, "jitter", 3);
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t expected = one.bits();
    for (int j = 0; j < i % 4; ++j) other.bits();
    ASSERT_EQ(again.bits(), expected);
  }
  RandomStream copy = one;
  EXPECT_EQ(copy.bits(), one.bits());
}

double correlation(RandomStream a, RandomStream b, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += (a.uniform() - 0.5) * (b.uniform() - 0.5);
  return sum / count * 12;
}

TEST(RandomStream, StreamsWithNearKeysAreIndependent) {
  constexpr int kCount = 200'000;
  const double bound = kSigmas / std::sqrt(kCount);
  const RandomStream base(1, "visit", 0);
  EXPECT_NEAR(correlation(base, RandomStream(2, "visit", 0), kCount), 0.0, bound) << "next seed";
  EXPECT_NEAR(correlation(base, RandomStream(1, "visit", 1), kCount), 0.0, bound) << "next index";
  EXPECT_NEAR(correlation(base, RandomStream(1, "visis", 0), kCount), 0.0, bound) << "one letter";
  EXPECT_NEAR(correlation(base, base, kCount), 1.0, 0.05) << "the test must see correlation where it is";
}

TEST(RandomStream, FirstDrawsOverIndicesAreUniform) {
  // One draw from each of many streams, as per-visit streams are used.
  constexpr int kCount = 200'000;
  std::uint64_t index = 0;
  const Moments moments = moments_of(kCount, [&] { return RandomStream(5, "per visit", index++).uniform(); });
  EXPECT_NEAR(moments.mean, 0.5, kSigmas * std::sqrt(1.0 / 12 / kCount));
  EXPECT_NEAR(moments.variance, 1.0 / 12, kSigmas * std::sqrt(1.0 / 180 / kCount));
}

TEST(RandomStream, StreamsDoNotOverlap) {
  std::vector<std::uint64_t> drawn;
  for (std::uint64_t index = 0; index < 200; ++index) {
    RandomStream stream(11, "overlap", index);
    for (int i = 0; i < 500; ++i) drawn.push_back(stream.bits());
  }
  std::sort(drawn.begin(), drawn.end());
  EXPECT_EQ(std::adjacent_find(drawn.begin(), drawn.end()), drawn.end());
}

TEST(RandomStream, BelowIsUniformOverTheIntegers) {
  constexpr int kCount = 700'000;
  std::array<int, 7> counts{};
  RandomStream stream(3, "below");
  for (int i = 0; i < kCount; ++i) ++counts.at(stream.below(7));
  double chi2 = 0;
  for (const int count : counts) chi2 += (count - 1e5) * (count - 1e5) / 1e5;
  EXPECT_LT(chi2, 6 + kSigmas * std::sqrt(12.0));
  for (int i = 0; i < 100; ++i) ASSERT_EQ(stream.below(1), 0U);
}

TEST(RandomStream, ExponentialHasMeanAndVarianceOneAndItsTail) {
  constexpr int kCount = 500'000;
  RandomStream stream(4, "exponential");
  int above_two = 0;
  const Moments moments = moments_of(kCount, [&] {
    const double value = stream.exponential();
    above_two += value > 2 ? 1 : 0;
    return value;
  });
  EXPECT_NEAR(moments.mean, 1.0, kSigmas * std::sqrt(1.0 / kCount));
  EXPECT_NEAR(moments.variance, 1.0, kSigmas * std::sqrt(8.0 / kCount));
  const double tail = std::exp(-2.0);
  EXPECT_NEAR(above_two / static_cast<double>(kCount), tail, kSigmas * std::sqrt(tail * (1 - tail) / kCount));
}

TEST(RandomStream, NormalHasTheMomentsOfN01) {
  constexpr int kCount = 500'000;
  RandomStream stream(6, "normal");
  const Moments moments = moments_of(kCount, [&] { return stream.normal(); });
  EXPECT_NEAR(moments.mean, 0.0, kSigmas * std::sqrt(1.0 / kCount));
  EXPECT_NEAR(moments.variance, 1.0, kSigmas * std::sqrt(2.0 / kCount));
  EXPECT_NEAR(moments.third, 0.0, kSigmas * std::sqrt(15.0 / kCount));
  EXPECT_NEAR(moments.fourth, 3.0, kSigmas * std::sqrt(96.0 / kCount));
}

class GammaShape : public ::testing::TestWithParam<double> {};

TEST_P(GammaShape, HasItsMoments) {
  constexpr int kCount = 500'000;
  const double shape = GetParam();
  RandomStream stream(12, "gamma");
  const Moments moments = moments_of(kCount, [&] { return stream.gamma(shape); });
  EXPECT_NEAR(moments.mean, shape, kSigmas * std::sqrt(shape / kCount));
  EXPECT_NEAR(moments.variance, shape, kSigmas * std::sqrt((2 * shape * shape + 6 * shape) / kCount));
  EXPECT_NEAR(moments.third / std::pow(shape, 1.5), 2 / std::sqrt(shape), 0.05 * (1 + 2 / std::sqrt(shape)));
}

INSTANTIATE_TEST_SUITE_P(Shapes, GammaShape,
                         ::testing::Values(0.0625, 0.25, 0.5, 0.99, 1.0, 2.5, 10.0, 100.0));

TEST(RandomStream, GammaOfShapeHalfIsHalfASquaredNormal) {
  // P(Gamma(1/2) <= x) = erf(sqrt(x)).
  constexpr int kCount = 500'000;
  RandomStream stream(13, "half");
  int below = 0;
  for (int i = 0; i < kCount; ++i) below += stream.gamma(0.5) <= 0.1 ? 1 : 0;
  const double expected = std::erf(std::sqrt(0.1));
  EXPECT_NEAR(below / static_cast<double>(kCount), expected,
              kSigmas * std::sqrt(expected * (1 - expected) / kCount));
}

}  // namespace
}  // namespace harness

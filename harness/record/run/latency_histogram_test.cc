#include "harness/record/run/latency_histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "harness/core/random_stream.h"

namespace harness {
namespace {

constexpr double kShares[] = {0, 0.001, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 1};

TimeNs exact_quantile(const std::vector<TimeNs>& sorted, double q) {
  const double rank = std::ceil(q * static_cast<double>(sorted.size()));
  return sorted[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

void expect_close_quantiles(const std::function<TimeNs(RandomStream&)>& draw, std::uint64_t seed) {
  RandomStream random(seed, "histogram");
  LatencyHistogram histogram;
  std::vector<TimeNs> values;
  for (int i = 0; i < 20'000; ++i) {
    values.push_back(draw(random));
    histogram.add(values.back());
  }
  std::sort(values.begin(), values.end());
  for (const double q : kShares) {
    const TimeNs exact = exact_quantile(values, q);
    const TimeNs read = histogram.quantile(q);
    const double allowed = std::max(static_cast<double>(exact) * LatencyHistogram::kRelativeError,
                                    static_cast<double>(LatencyHistogram::kResolutionNs));
    EXPECT_GE(read, exact) << "q " << q;
    EXPECT_LT(static_cast<double>(read - exact), allowed) << "q " << q << " exact " << exact;
  }
}

TEST(LatencyHistogram, QuantilesAreWithinTheStatedErrorOfASort) {
  const auto uniform = [](RandomStream& random) { return static_cast<TimeNs>(random.below(500'000'000)); };
  const auto skewed = [](RandomStream& random) { return static_cast<TimeNs>(2e7 * random.exponential()); };
  const auto tiny = [](RandomStream& random) { return static_cast<TimeNs>(random.below(20'000)); };
  const auto all_scales = [](RandomStream& random) {
    return static_cast<TimeNs>(random.bits() >> (2 + random.below(60)));
  };
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    expect_close_quantiles(uniform, seed);
    expect_close_quantiles(skewed, seed);
    expect_close_quantiles(tiny, seed);
    expect_close_quantiles(all_scales, seed);
  }
}

TEST(LatencyHistogram, AddedCountsAreThoseOfAllValues) {
  LatencyHistogram low;
  LatencyHistogram high;
  LatencyHistogram all;
  for (TimeNs value = 0; value < 1'000'000; value += 997) {
    (value < 400'000 ? low : high).add(value);
    all.add(value);
  }
  low.add_all(high.counts());
  EXPECT_EQ(low.total(), all.total());
  EXPECT_EQ(low.counts(), all.counts());
}

TEST(LatencyHistogram, UpperEdgesRiseAndStayInTheirBucket) {
  LatencyHistogram histogram;
  histogram.add(kNever);
  const std::size_t buckets = histogram.counts().size();
  EXPECT_EQ(histogram.quantile(1), kNever);
  TimeNs before = -1;
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    const TimeNs edge = LatencyHistogram::upper_edge(bucket);
    ASSERT_GT(edge, before);
    LatencyHistogram one;
    one.add(edge);
    ASSERT_EQ(one.counts().size(), bucket + 1) << "edge " << edge;
    one.add(before + 1);
    ASSERT_EQ(one.counts()[bucket], 2u) << "lowest value " << before + 1;
    before = edge;
  }
}

TEST(LatencyHistogram, EmptyAndNegative) {
  LatencyHistogram histogram;
  EXPECT_EQ(histogram.quantile(0.5), 0);
  histogram.add(-5);
  EXPECT_LT(histogram.quantile(0.5), LatencyHistogram::kResolutionNs);
  histogram.add(kNsPerS, 99);
  EXPECT_EQ(histogram.total(), 100u);
  EXPECT_LT(histogram.quantile(0.01), LatencyHistogram::kResolutionNs);
  EXPECT_GE(histogram.quantile(0.02), kNsPerS);
}

}  // namespace
}  // namespace harness

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "harness/core/random.h"
#include "harness/gpu/profiling/timing.h"

namespace harness {
namespace {

// P(Bin(n, 1/2) <= k) by Pascal's triangle.
double at_most(std::size_t n, std::size_t k) {
  std::vector<double> row = {1};
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> next(row.size() + 1, 0.0);
    for (std::size_t j = 0; j < row.size(); ++j) {
      next[j] += row[j] / 2;
      next[j + 1] += row[j] / 2;
    }
    row = std::move(next);
  }
  double sum = 0;
  for (std::size_t j = 0; j <= k; ++j) sum += row[j];
  return sum;
}

// Conover, Practical Nonparametric Statistics, gives the 2nd and the 9th of 10 values, the 6th and the 15th
// of 20, the 40th and the 61st of 100.
TEST(MedianRanks, AreThoseOfTheTables) {
  EXPECT_FALSE(median_ranks(0));
  EXPECT_FALSE(median_ranks(1));
  EXPECT_FALSE(median_ranks(5));
  const std::size_t known[][3] = {{6, 1, 6}, {8, 1, 8}, {9, 2, 8}, {10, 2, 9}, {20, 6, 15}, {100, 40, 61}};
  for (const auto& [n, low, high] : known) {
    const auto ranks = median_ranks(n);
    ASSERT_TRUE(ranks) << n;
    EXPECT_EQ(ranks->low, low) << n;
    EXPECT_EQ(ranks->high, high) << n;
  }
}

TEST(MedianRanks, AreTheNarrowestThatReachTheLevel) {
  for (std::size_t n = 6; n <= 400; ++n) {
    const auto ranks = median_ranks(n);
    ASSERT_TRUE(ranks);
    EXPECT_EQ(ranks->low + ranks->high, n + 1);
    EXPECT_LE(2 * at_most(n, ranks->low - 1), 0.05 + 1e-12) << n;
    EXPECT_GT(2 * at_most(n, ranks->low), 0.05) << n;
  }
}

TEST(TimingSummary, IsComputedByHand) {
  // 10, 20, ..., 100: the middle two are 50 and 60; the 2nd and the 9th are 20 and 90.
  const std::vector<TimeNs> times = {100, 20, 30, 90, 50, 60, 70, 80, 40, 10};
  const TimingSummary summary = summary_of(times);
  EXPECT_EQ(summary.repeats, 10U);
  EXPECT_EQ(summary.median_ns, 55);
  EXPECT_EQ(summary.p10_ns, 10);
  EXPECT_EQ(summary.p90_ns, 90);
  EXPECT_EQ(summary.p99_ns, 100);
  EXPECT_EQ(summary.mean_ns, 55);
  ASSERT_TRUE(summary.half_width_ns);
  EXPECT_EQ(*summary.half_width_ns, 35);
  EXPECT_DOUBLE_EQ(summary.half_width_share(), 35.0 / 55);
  EXPECT_EQ(median_of(std::vector<TimeNs>{7, 1, 4}), 4);
}

TEST(TimingSummary, KnowsNothingOfTheIntervalOfFiveValues) {
  const TimingSummary summary = summary_of(std::vector<TimeNs>{5, 5, 5, 5, 5});
  EXPECT_FALSE(summary.half_width_ns);
  EXPECT_TRUE(std::isinf(summary.half_width_share()));
}

// The true median of 1 ms x (1 + 0.2 E), E exponential, is 1 ms x (1 + 0.2 ln 2): skewed, as latencies are.
// Of 1,000 intervals each covers it with P >= 0.95; fewer than 925 have a probability below 2e-4
// (binomial, 3.6 standard deviations).
TEST(TimingSummary, CoversTheTrueMedianInNinetyFivePercentOfTheRuns) {
  for (const std::size_t n : {std::size_t{10}, std::size_t{37}, std::size_t{200}}) {
    RandomStream random(n, "skewed latencies");
    const double median = 1e6 * (1 + 0.2 * std::log(2.0));
    const auto ranks = median_ranks(n);
    const double promised = 1 - 2 * at_most(n, ranks->low - 1);
    int covered = 0;
    for (int run = 0; run < 1000; ++run) {
      std::vector<TimeNs> times(n);
      for (TimeNs& time : times) time = static_cast<TimeNs>(1e6 * (1 + 0.2 * random.exponential()));
      std::sort(times.begin(), times.end());
      const auto low = static_cast<double>(times[ranks->low - 1]);
      const auto high = static_cast<double>(times[ranks->high - 1]);
      if (low <= median && median <= high) ++covered;
      EXPECT_EQ(summary_of(times).half_width_ns, (times[ranks->high - 1] - times[ranks->low - 1] + 1) / 2);
    }
    const double deviation = std::sqrt(1000 * promised * (1 - promised));
    EXPECT_NEAR(covered, 1000 * promised, 3.6 * deviation) << n;
  }
}

}  // namespace

namespace {

// SHEPHERD, Table 4: ResNet18 takes 0.22 b + 3.74 ms.
TEST(LatencyFit, FindsALineExactly) {
  std::vector<int> batches;
  std::vector<TimeNs> latency;
  for (const int batch : {1, 2, 3, 5, 8, 64, 128}) {
    batches.push_back(batch);
    latency.push_back(220'000 * batch + 3'740'000);
  }
  const auto fit = fit_latency(batches, latency);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->alpha_ns, 220'000, 1e-6);
  EXPECT_NEAR(fit->beta_ns, 3'740'000, 1e-4);
  EXPECT_NEAR(fit->r2, 1, 1e-12);
  EXPECT_LT(fit->largest_error, 1e-9);
}

// (1, 1), (2, 2), (4, 5): by hand alpha = 19/14, beta = -1/2, errors 1/7, 3/14, 1/14, r2 = 1 - (1/14) /
// (26/3).
TEST(LatencyFit, IsTheHandComputedOneOfThreePoints) {
  const auto fit = fit_latency(std::vector<int>{1, 2, 4}, std::vector<TimeNs>{1'000, 2'000, 5'000});
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->alpha_ns, 19'000.0 / 14, 1e-9);
  EXPECT_NEAR(fit->beta_ns, -500, 1e-9);
  EXPECT_NEAR(fit->r2, 1 - 3.0 / 364, 1e-12);
  EXPECT_NEAR(fit->largest_error, 1.0 / 7, 1e-12);
  EXPECT_EQ(fit->largest_error_batch, 1);
}

// The normal equations in another form: alpha = (n S_bd - S_b S_d) / (n S_bb - S_b^2). Latencies fall and
// rise.
TEST(LatencyFit, AgreesWithTheNormalEquationsOnAnyLatencies) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    RandomStream random(seed, "fit");
    std::vector<int> batches;
    std::vector<TimeNs> latency;
    long double n = 0;
    long double s_b = 0;
    long double s_d = 0;
    long double s_bb = 0;
    long double s_bd = 0;
    for (int batch = 1; batch <= 40; batch += 1 + static_cast<int>(random.below(5))) {
      const auto time = static_cast<TimeNs>(1'000 + random.below(50'000'000));
      batches.push_back(batch);
      latency.push_back(time);
      const long double b = batch;
      const long double d = static_cast<long double>(time);
      n += 1;
      s_b += b;
      s_d += d;
      s_bb += b * b;
      s_bd += b * d;
    }
    const long double alpha = (n * s_bd - s_b * s_d) / (n * s_bb - s_b * s_b);
    const long double beta = (s_d - alpha * s_b) / n;
    const auto fit = fit_latency(batches, latency);
    ASSERT_TRUE(fit);
    EXPECT_NEAR(fit->alpha_ns, static_cast<double>(alpha), 1e-3);
    EXPECT_NEAR(fit->beta_ns, static_cast<double>(beta), 1e-2);
    EXPECT_GE(fit->r2, -1e-12);
    EXPECT_LE(fit->r2, 1);
    double largest = 0;
    for (std::size_t i = 0; i < batches.size(); ++i) {
      const auto measured = static_cast<double>(latency[i]);
      largest = std::max(largest, std::abs(fit->at(batches[i]) - measured) / measured);
    }
    EXPECT_DOUBLE_EQ(fit->largest_error, largest);
  }
}

TEST(LatencyFit, NeedsTwoSizes) {
  EXPECT_FALSE(fit_latency({}, {}));
  EXPECT_FALSE(fit_latency(std::vector<int>{4}, std::vector<TimeNs>{1'000}));
  const auto flat = fit_latency(std::vector<int>{1, 9}, std::vector<TimeNs>{500, 500});
  ASSERT_TRUE(flat);
  EXPECT_EQ(flat->alpha_ns, 0);
  EXPECT_EQ(flat->r2, 1);
}

}  // namespace

namespace {

/// Things that take their base time, multiplied by noise, on a clock that their times advance.
class SyntheticThings {
 public:
  /// `noise` is the standard deviation of the logarithm; `drift` is the share by which everything grows
  /// slower with each run.
  explicit SyntheticThings(std::vector<double> base_ns, double noise = 0, double drift = 0,
                           std::uint64_t seed = 1)
      : base_ns_(std::move(base_ns)), noise_(noise), drift_(drift), seed_(seed) {}

  RepeatedTimes time(const RepeatRule& rule) {
    RandomStream random(seed_, "synthetic");
    const auto once = [&](std::size_t i) {
      const double slower = 1 + drift_ * static_cast<double>(order_.size());
      order_.push_back(i);
      const auto time = static_cast<TimeNs>(base_ns_[i] * slower * portable_exp(noise_ * random.normal()));
      now_ns_ += time;
      return time;
    };
    return time_repeatedly(base_ns_.size(), once, rule, [this] { return now_ns_; });
  }
  /// Returns the things in the order in which they were timed, run by run, warm-up included.
  const std::vector<std::size_t>& order() const { return order_; }

 private:
  std::vector<double> base_ns_;
  double noise_;
  double drift_;
  std::uint64_t seed_;
  TimeNs now_ns_ = 0;
  std::vector<std::size_t> order_;
};

RepeatRule unlimited() {
  RepeatRule rule;
  rule.limit_ns = kNever / 2;
  rule.most_rounds = 100'000;
  return rule;
}

TEST(TimeRepeatedly, StopsAtTheLeastRoundsWhenNothingVaries) {
  SyntheticThings things({1e6, 3e6, 2e6});
  const RepeatedTimes result = things.time(unlimited());
  EXPECT_EQ(result.stopped_by, StoppedBy::kNarrow);
  ASSERT_EQ(result.times.size(), 3U);
  for (const auto& times : result.times) EXPECT_EQ(times.size(), 10U);
  EXPECT_EQ(things.order().size(), 3U * (10 + 3));
  EXPECT_EQ(result.summary(2).median_ns, 2'000'000);
  EXPECT_EQ(result.drift(), 0);
}

TEST(TimeRepeatedly, StopsOnlyWhenEveryMedianIsNarrow) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SyntheticThings things({1e6, 5e6, 2e6}, 0.15, 0, seed);
    const RepeatedTimes result = things.time(unlimited());
    EXPECT_EQ(result.stopped_by, StoppedBy::kNarrow);
    std::size_t rounds = result.times.front().size();
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_LE(result.summary(i).half_width_share(), 0.02);
      EXPECT_EQ(result.times[i].size(), rounds);
    }
    // sd of the median is 1.2533 x 0.15 / sqrt(n): a half-width of 2 % takes about 340 values.
    EXPECT_GT(rounds, 150U);
    EXPECT_LT(rounds, 900U);
  }
}

TEST(TimeRepeatedly, StopsAtTheMostRoundsOrTheLimit) {
  RepeatRule rule = unlimited();
  rule.most_rounds = 17;
  SyntheticThings noisy({1e6, 2e6}, 0.5);
  RepeatedTimes result = noisy.time(rule);
  EXPECT_EQ(result.stopped_by, StoppedBy::kRounds);
  EXPECT_EQ(result.times[1].size(), 17U);

  rule = unlimited();
  rule.limit_ns = 20'000'000;  // three warm-up runs of 1 + 2 ms leave 11 ms: four rounds of 3 ms
  SyntheticThings slow({1e6, 2e6});
  result = slow.time(rule);
  EXPECT_EQ(result.stopped_by, StoppedBy::kTime);
  EXPECT_EQ(result.times[0].size(), 4U);
  EXPECT_FALSE(result.summary(0).half_width_ns);
}

TEST(TimeRepeatedly, FinishesTheFirstRoundWhateverTheLimit) {
  RepeatRule rule = unlimited();
  rule.limit_ns = 1;
  SyntheticThings things({1e6, 2e6, 3e6});
  const RepeatedTimes result = things.time(rule);
  EXPECT_EQ(result.stopped_by, StoppedBy::kTime);
  for (const auto& times : result.times) EXPECT_EQ(times.size(), 1U);
  EXPECT_EQ(things.order().size(), 6U);  // one warm-up run of each
}

TEST(TimeRepeatedly, TakesEachThingOnceInARoundInChangingOrder) {
  constexpr std::size_t n = 6;
  SyntheticThings things(std::vector<double>(n, 1e6));
  things.time(unlimited());
  const std::vector<std::size_t>& order = things.order();
  std::vector<int> first(n, 0);
  bool all_same = true;
  for (std::size_t begin = 3 * n; begin < order.size(); begin += n) {
    std::vector<std::size_t> round(order.begin() + static_cast<long>(begin),
                                   order.begin() + static_cast<long>(begin + n));
    all_same = all_same && std::equal(round.begin(), round.end(), order.begin() + 3 * static_cast<long>(n));
    ++first[round.front()];
    std::sort(round.begin(), round.end());
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(round[i], i);
  }
  EXPECT_FALSE(all_same);
  EXPECT_LT(*std::max_element(first.begin(), first.end()), 10);
}

// A machine becomes 40 % slower while it is measured: every ratio between medians stays the ratio of the
// bases, although sizes measured one after another would differ by up to 40 %.
TEST(TimeRepeatedly, LetsNoThingGainFromDrift) {
  RepeatRule rule = unlimited();
  rule.half_width = 1e-9;
  rule.most_rounds = 200;
  SyntheticThings things({1e6, 2e6, 3e6, 4e6, 5e6}, 0, 0.4 / (5 * 203));
  const RepeatedTimes result = things.time(rule);
  const auto first = static_cast<double>(result.summary(0).median_ns);
  for (std::size_t i = 0; i < 5; ++i) {
    const double ratio = static_cast<double>(result.summary(i).median_ns) / first;
    EXPECT_NEAR(ratio / static_cast<double>(i + 1), 1, 0.002) << i;
  }
  // The medians of the halves lie at a quarter and three quarters of the way: 1.3 / 1.1 less 1.
  EXPECT_NEAR(result.drift(), 1.3 / 1.1 - 1, 0.01);
}

// Chow and Robbins (1965): with the width at which it stops going to 0, such a rule covers with 95 %. At 1 %
// and noise of 5 % about 180 values are taken; of 1,000 runs fewer than 920 have a probability below 1e-4 at
// 95 %.
TEST(TimeRepeatedly, StillCoversTheMedianWhenItStopsAtANarrowInterval) {
  RepeatRule rule = unlimited();
  rule.half_width = 0.01;
  int covered = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    SyntheticThings things({1e6}, 0.05, 0, seed);
    std::vector<TimeNs> times = things.time(rule).times[0];
    std::sort(times.begin(), times.end());
    const auto ranks = median_ranks(times.size());
    ASSERT_TRUE(ranks);
    if (times[ranks->low - 1] <= 1'000'000 && 1'000'000 <= times[ranks->high - 1]) ++covered;
  }
  EXPECT_GE(covered, 920);
}

TEST(TimeRepeatedly, PassesOnWhatTheTimingThrows) {
  const auto fails = [](std::size_t) -> TimeNs { throw 7; };
  EXPECT_THROW(time_repeatedly(1, fails, unlimited(), [] { return TimeNs{0}; }), int);
}

}  // namespace
}  // namespace harness

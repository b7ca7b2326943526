#include "harness/gpu/profiling/repeated_times.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "harness/core/portable_math.h"
#include "harness/core/random_stream.h"

namespace harness {
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

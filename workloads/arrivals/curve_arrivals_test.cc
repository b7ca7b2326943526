#include "workloads/arrivals/curve_arrivals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "workloads/arrivals/placing_rule.h"
#include "workloads/arrivals/rate_curve.h"
#include "workloads/arrivals/replay.h"

namespace harness {
namespace {

std::shared_ptr<const Replay> flat(double rps, double duration_s) {
  return std::make_shared<const Replay>(Replay{RateCurve{duration_s, {rps}}, duration_s});
}

PlacingRule rule_of(ArrivalProcess process, double cv = 1) { return {process, cv, 5, 0.2, 2}; }

std::vector<TimeNs> all_times(ArrivalSource& source, std::size_t chunk = 100) {
  std::vector<TimeNs> times;
  std::vector<TimeNs> part(chunk);
  while (const std::size_t count = source.next(part))
    times.insert(times.end(), part.begin(), part.begin() + count);
  return times;
}

/// Mean (s) and CV of the gaps.
std::pair<double, double> gap_figures(const std::vector<TimeNs>& times) {
  const double count = static_cast<double>(times.size() - 1);
  double sum = 0, squares = 0;
  for (std::size_t i = 1; i < times.size(); ++i) {
    const double gap = ns_to_s(times[i] - times[i - 1]);
    sum += gap;
    squares += gap * gap;
  }
  const double mean = sum / count;
  return {mean, std::sqrt(squares / count - mean * mean) / mean};
}

TEST(CurveArrivals, UniformIsEven) {
  const auto source = make_curve_arrivals(flat(1000, 2), rule_of(ArrivalProcess::kUniform), 1);
  const std::vector<TimeNs> times = all_times(*source);
  ASSERT_EQ(times.size(), 2000U);
  for (std::size_t k = 0; k < times.size(); ++k) {
    ASSERT_NEAR(static_cast<double>(times[k]), (static_cast<double>(k) + 0.5) * 1e6, 2.0);
  }
}

// A Poisson process: gaps of mean 1 / rate and CV 1; counts per second with variance = mean.
TEST(CurveArrivals, PoissonHasExponentialGapsAndPoissonCounts) {
  constexpr double kRate = 500, kDuration = 2000;
  const auto source = make_curve_arrivals(flat(kRate, kDuration), rule_of(ArrivalProcess::kPoisson), 3);
  const std::vector<TimeNs> times = all_times(*source, 512);
  EXPECT_NEAR(static_cast<double>(times.size()), kRate * kDuration, 4 * std::sqrt(kRate * kDuration));
  const auto [mean, cv] = gap_figures(times);
  EXPECT_NEAR(mean * kRate, 1, 0.005);
  EXPECT_NEAR(cv, 1, 0.005);
  std::vector<double> counts(static_cast<std::size_t>(kDuration), 0);
  for (const TimeNs time : times) ++counts[static_cast<std::size_t>(time / kNsPerS)];
  double variance = 0;
  for (const double count : counts) variance += (count - kRate) * (count - kRate) / kDuration;
  EXPECT_NEAR(variance / kRate, 1, 4 * std::sqrt(2 / kDuration));
  // Share of gaps above twice the mean: e^-2.
  std::size_t longer = 0;
  for (std::size_t i = 1; i < times.size(); ++i) longer += ns_to_s(times[i] - times[i - 1]) > 2 / kRate;
  EXPECT_NEAR(static_cast<double>(longer) / static_cast<double>(times.size()), std::exp(-2.0), 0.002);
}

class GammaGapsTest : public testing::TestWithParam<double> {};
TEST_P(GammaGapsTest, HaveTheCv) {
  const double cv = GetParam();
  const auto source = make_curve_arrivals(flat(1000, 1000), rule_of(ArrivalProcess::kGamma, cv), 11);
  const auto [mean, measured] = gap_figures(all_times(*source, 512));
  EXPECT_NEAR(mean * 1000, 1, 0.005 * std::max(1.0, cv));
  EXPECT_NEAR(measured / cv, 1, 0.03);
}
INSTANTIATE_TEST_SUITE_P(Cvs, GammaGapsTest, testing::Values(0.25, 0.5, 1.0, 2.0, 4.0));

// The squared CV goes from 0.25 to 4 between 200 and 600 s: what it is before, in the middle and after; the
// rate stays.
TEST(CurveArrivals, MoveTheSquaredCvInAStraightLine) {
  PlacingRule rule = rule_of(ArrivalProcess::kGamma, 0.5);
  rule.change = {4, 200 * kNsPerS, 600 * kNsPerS};
  const auto source = make_curve_arrivals(flat(1000, 800), rule, 4);
  const std::vector<TimeNs> times = all_times(*source, 512);
  const auto between = [&](TimeNs from_s, TimeNs until_s) {
    return std::vector<TimeNs>(std::lower_bound(times.begin(), times.end(), from_s * kNsPerS),
                               std::lower_bound(times.begin(), times.end(), until_s * kNsPerS));
  };
  for (const auto& [from_s, until_s, scv] : {std::tuple{0, 200, 0.25}, {395, 405, 2.125}, {600, 800, 4.0}}) {
    const auto [mean, cv] = gap_figures(between(from_s, until_s));
    EXPECT_NEAR(cv * cv / scv, 1, from_s == 395 ? 0.15 : 0.05) << from_s;
    EXPECT_NEAR(mean * 1000, 1, from_s == 395 ? 0.06 : 0.02) << from_s;
  }
}

TEST(CurveArrivals, ChangeTheSquaredCvAtOnceWhereTheTransitionTakesNoTime) {
  PlacingRule moving = rule_of(ArrivalProcess::kGamma, 2);
  const PlacingRule before = moving;
  moving.change = {0.25, 5 * kNsPerS, 5 * kNsPerS};
  const std::vector<TimeNs> still = all_times(*make_curve_arrivals(flat(1000, 10), before, 7));
  const std::vector<TimeNs> times = all_times(*make_curve_arrivals(flat(1000, 10), moving, 7));
  const auto at = [](const std::vector<TimeNs>& all) {
    return std::lower_bound(all.begin(), all.end(), 5 * kNsPerS) - all.begin();
  };
  ASSERT_EQ(at(times), at(still));
  EXPECT_TRUE(std::equal(times.begin(), times.begin() + at(times), still.begin()));
  EXPECT_NEAR(gap_figures({times.begin() + at(times), times.end()}).second, 0.5, 0.03);
}

/// Requests in bin b of a curve with rates 100, 0, 400: in proportion to the rates, none in the empty bin.
TEST(CurveArrivals, FollowTheCurve) {
  const auto replay = std::make_shared<const Replay>(Replay{RateCurve{100, {100, 0, 400}}, 250});
  for (const auto process : {ArrivalProcess::kPoisson, ArrivalProcess::kUniform, ArrivalProcess::kGamma}) {
    const auto source = make_curve_arrivals(replay, rule_of(process), 5);
    EXPECT_EQ(source->duration_ns(), 250 * kNsPerS);
    EXPECT_DOUBLE_EQ(source->expected_requests(), 30'000);
    std::vector<double> counts(3, 0);
    for (const TimeNs time : all_times(*source)) ++counts[static_cast<std::size_t>(time / (100 * kNsPerS))];
    EXPECT_NEAR(counts[0], 10'000, 400);
    EXPECT_EQ(counts[1], 0);
    EXPECT_NEAR(counts[2], 20'000, 600);
  }
}

// Two states with rates in ratio 5, a fifth of the time in the high one: high 5 / 1.8, low 1 / 1.8 of the
// mean. The rate of seconds that lie wholly within a stay then has a CV of sqrt(0.2 x (5/1.8)^2 + 0.8 / 1.8^2
// - 1) = 0.889.
TEST(CurveArrivals, MmppHasTheMeanAndTheStatesVariation) {
  PlacingRule rule = rule_of(ArrivalProcess::kMmpp);
  rule.mmpp_high_s = 200;
  const auto source = make_curve_arrivals(flat(100, 100'000), rule, 9);
  const std::vector<TimeNs> times = all_times(*source, 512);
  EXPECT_NEAR(static_cast<double>(times.size()) / 1e7, 1, 0.002);
  std::vector<double> counts(100'000, 0);
  for (const TimeNs time : times) ++counts[static_cast<std::size_t>(time / kNsPerS)];
  double squares = 0;
  for (const double count : counts) squares += (count - 100) * (count - 100) / 1e5;
  const double without_noise = std::sqrt(squares - 100) / 100;
  EXPECT_NEAR(without_noise, 0.889, 0.1);
}

using Case = std::tuple<ArrivalProcess, std::uint64_t>;
TEST(CurveArrivals, WithAMovingCvDoNotDependOnChunksAndRestart) {
  PlacingRule rule = rule_of(ArrivalProcess::kGamma, 2);
  rule.change = {0.5, kNsPerS / 2, 3 * kNsPerS / 2};
  const auto replay =
      std::make_shared<const Replay>(Replay{RateCurve{0.37, {900, 30, 0, 2000, 500, 1}}, 2.1});
  const std::vector<TimeNs> whole = all_times(*make_curve_arrivals(replay, rule, 3), 100'000);
  for (const std::size_t chunk : {1, 2, 7, 64, 513}) {
    const auto source = make_curve_arrivals(replay, rule, 3);
    EXPECT_EQ(all_times(*source, chunk), whole) << chunk;
    EXPECT_EQ(all_times(*source->restarted(), chunk), whole) << chunk;
  }
}

class AnyProcess : public testing::TestWithParam<Case> {
 protected:
  std::unique_ptr<ArrivalSource> make() const {
    const auto replay =
        std::make_shared<const Replay>(Replay{RateCurve{0.37, {900, 30, 0, 2000, 500, 1}}, 2.1});
    return make_curve_arrivals(replay, rule_of(std::get<0>(GetParam()), 2), std::get<1>(GetParam()));
  }
};

TEST_P(AnyProcess, DoesNotDependOnChunks) {
  const std::vector<TimeNs> whole = all_times(*make(), 100'000);
  for (const std::size_t chunk : {1, 2, 7, 64, 513}) EXPECT_EQ(all_times(*make(), chunk), whole) << chunk;
}

TEST_P(AnyProcess, RestartsFromTheBeginning) {
  const auto source = make();
  std::vector<TimeNs> some(17);
  source->next(some);
  EXPECT_EQ(all_times(*source->restarted()), all_times(*make()));
}

TEST_P(AnyProcess, RisesWithinItsDurationAndStaysAtItsEnd) {
  const auto source = make();
  const std::vector<TimeNs> times = all_times(*source);
  ASSERT_FALSE(times.empty());
  EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
  EXPECT_GE(times.front(), 0);
  EXPECT_LT(times.back(), source->duration_ns());
  std::vector<TimeNs> more(4);
  EXPECT_EQ(source->next(more), 0U);
  EXPECT_EQ(source->next(more), 0U);
}

INSTANTIATE_TEST_SUITE_P(All, AnyProcess,
                         testing::Combine(testing::Values(ArrivalProcess::kPoisson, ArrivalProcess::kUniform,
                                                          ArrivalProcess::kGamma, ArrivalProcess::kMmpp),
                                          testing::Values(1, 2, 77)));

TEST(CurveArrivals, DifferBySeed) {
  const auto one = make_curve_arrivals(flat(100, 10), rule_of(ArrivalProcess::kPoisson), 1);
  const auto two = make_curve_arrivals(flat(100, 10), rule_of(ArrivalProcess::kPoisson), 2);
  EXPECT_NE(all_times(*one), all_times(*two));
}

TEST(RecordedArrivals, AreTheTimes) {
  const auto times = std::make_shared<const std::vector<TimeNs>>(std::vector<TimeNs>{0, 5, 5, 9});
  const auto source = make_recorded_arrivals(times, 10);
  EXPECT_EQ(all_times(*source, 3), *times);
  EXPECT_EQ(all_times(*source->restarted(), 1), *times);
  EXPECT_EQ(source->expected_requests(), 4);
}

}  // namespace
}  // namespace harness

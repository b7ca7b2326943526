#include "workloads/trace_files/trace_facts.h"

#include <gtest/gtest.h>

#include <cmath>

#include "workloads/spec/trace_spec.h"
#include "workloads/streams/trace_arrivals.h"
#include "workloads/trace_files/counts.h"

namespace harness {
namespace {

TEST(TraceFacts, OfCountsPerHalfSecond) {
  // Seconds: 4, 6, 2; the mean is 4, the variance (0 + 4 + 4) / 3.
  const TraceFacts facts = facts_of({1, 3, 2, 4, 0, 2}, 0.5);
  EXPECT_EQ(facts.bins, 6U);
  EXPECT_DOUBLE_EQ(facts.length_s, 3);
  EXPECT_DOUBLE_EQ(facts.requests, 12);
  EXPECT_DOUBLE_EQ(facts.mean_rps, 4);
  EXPECT_DOUBLE_EQ(facts.peak_rps, 6);
  EXPECT_DOUBLE_EQ(facts.peak_over_mean, 1.5);
  EXPECT_DOUBLE_EQ(facts.cv_second, std::sqrt(8.0 / 3) / 4);
  EXPECT_EQ(facts.cv_minute, 0);
}

TEST(TraceFacts, MayEndWithinABin) {
  const TraceFacts facts = facts_of({30, 20}, 1, 1.25);
  EXPECT_DOUBLE_EQ(facts.length_s, 1.25);
  EXPECT_DOUBLE_EQ(facts.mean_rps, 40);
  EXPECT_DOUBLE_EQ(facts_of({200}, 1, 0.5).peak_rps, 400);
}

TEST(TraceFacts, OfMinutesAndLongerBins) {
  std::vector<double> counts(120, 1.0);
  for (std::size_t i = 60; i < 120; ++i) counts[i] = 3;
  EXPECT_DOUBLE_EQ(facts_of(counts, 1).cv_minute, 0.5);
  // Bins of an hour: every CV is over bins.
  EXPECT_DOUBLE_EQ(facts_of({3600, 3 * 3600}, 3600).cv_minute, 0.5);
  EXPECT_DOUBLE_EQ(facts_of({3600, 3 * 3600}, 3600).peak_rps, 3);
}

/// A slow ramp has no short-term variation; an alternation of 1 and 3 about 2 has 0.5.
TEST(TraceFacts, ShortVariationLeavesTheTrendOut) {
  std::vector<double> ramp, alternation;
  for (int i = 0; i < 20'000; ++i) {
    ramp.push_back(1000 + 0.05 * i);
    alternation.push_back((1 + i % 2 * 2) * (1 + 1e-4 * i));
  }
  EXPECT_LT(facts_of(ramp, 1).cv_short, 0.002);
  EXPECT_GT(facts_of(ramp, 1).cv_second, 0.15);
  EXPECT_NEAR(facts_of(alternation, 1).cv_short, 0.5, 0.005);
}

TEST(TraceFacts, KnowWhichTimesTheirBinsDivideInto) {
  const TraceFacts minutes = facts_of({60, 180, 60}, 60);
  EXPECT_FALSE(divides_into(minutes, 1));
  EXPECT_TRUE(divides_into(minutes, 60));
  EXPECT_FALSE(divides_into(minutes, 120)) << "one whole group";
  EXPECT_EQ(minutes.second_s, 60);
  EXPECT_EQ(minutes.trend_s, 660);
  const TraceFacts tenths = facts_of(std::vector<double>(400, 1.0), 0.1);
  EXPECT_TRUE(divides_into(tenths, 1));
  EXPECT_FALSE(divides_into(tenths, 60)) << "40 s";
  EXPECT_EQ(tenths.second_s, 1);
  EXPECT_EQ(tenths.trend_s, 600);
  EXPECT_FALSE(divides_into(facts_of({1, 2, 3, 4, 5, 6}, 0.4), 1)) << "2.5 bins";
}

TEST(CountsOfSource, CountsEveryRequestWithoutMovingTheSource) {
  TraceSpec spec;
  spec.shape = "constant";
  spec.duration_s = 2.5;
  const auto source = make_arrivals(spec, 100, 1);
  EXPECT_EQ(counts_of(*source, 1), (std::vector<double>{100, 100, 50}));
  EXPECT_EQ(counts_of(*source, 1), (std::vector<double>{100, 100, 50}));
}

}  // namespace
}  // namespace harness

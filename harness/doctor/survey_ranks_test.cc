#include "harness/doctor/survey_ranks.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "harness/core/environment_error.h"
#include "harness/live/transport/local_transport.h"
#include "harness/live/transport/test_transport.h"

namespace harness {
namespace {

/// Surveys `ranks` ranks, a thread each; the ranks from `silent` on say nothing.
std::vector<RankFacts> survey(TestNetwork& network, int ranks, int silent, const SurveyParams& params,
                              const LookAtHost& look) {
  std::vector<std::thread> threads;
  for (int rank = 1; rank < std::min(ranks, silent); ++rank) {
    threads.emplace_back([&network, &params, &look, rank] {
      EXPECT_TRUE(survey_ranks(network.at(rank), MachineFiles(), look, params).empty());
    });
  }
  std::vector<RankFacts> facts = survey_ranks(network.at(0), MachineFiles(), look, params);
  for (std::thread& thread : threads) thread.join();
  return facts;
}

TEST(RankSurveyTest, OneRankLooksAtItsHost) {
  const auto transport = make_local_transport();
  const auto facts = survey_ranks(*transport, MachineFiles(), [](int ranks_here) {
    return std::vector<Check>{{CheckLevel::kWarn, "ranks here", std::to_string(ranks_here), "nothing"}};
  });
  ASSERT_EQ(facts.size(), 1U);
  EXPECT_TRUE(facts[0].answered);
  EXPECT_FALSE(facts[0].host.empty());
  ASSERT_EQ(facts[0].checks.size(), 1U);
  EXPECT_EQ(facts[0].checks[0].found, "1");
}

TEST(RankSurveyTest, RoundTripsTakeWhatTheNetworkTakesAndClocksAgreeOnOneMachine) {
  TestFaults faults;
  faults.delay_ns = 2 * kNsPerMs;
  TestNetwork network(3, faults);
  SurveyParams params;
  params.round_trips = 5;
  std::atomic<int> looks = 0;
  const auto facts = survey(network, 3, 3, params, [&](int ranks_here) {
    ++looks;
    EXPECT_EQ(ranks_here, 3);
    return std::vector<Check>{};
  });
  EXPECT_EQ(looks, 1);  // one host
  for (int rank = 1; rank < 3; ++rank) {
    const RankFacts& one = facts[static_cast<std::size_t>(rank)];
    EXPECT_TRUE(one.answered);
    EXPECT_EQ(one.round_trips, 5);
    EXPECT_GE(one.round_trip_p50_ns, 4 * kNsPerMs);
    EXPECT_LE(std::abs(one.clock_offset_ns), one.clock_bound_ns);
    EXPECT_GE(one.clock_bound_ns, 2 * kNsPerMs);
  }
}

TEST(RankSurveyTest, SlowLinksEndTheTripsEarly) {
  TestFaults faults;
  faults.delay_ns = 20 * kNsPerMs;
  TestNetwork network(2, faults);
  SurveyParams params;
  params.trips_limit_ns = 30 * kNsPerMs;
  const auto facts = survey(network, 2, 2, params, [](int) { return std::vector<Check>{}; });
  EXPECT_EQ(facts[1].round_trips, 1);
}

TEST(RankSurveyTest, ASilentRankIsSaidToBe) {
  TestNetwork network(3);
  SurveyParams params;
  params.round_trips = 2;
  params.nap_ns = kNsPerMs;
  params.answer_limit_ns = 1500 * kNsPerMs;  // also what a slow machine needs for rank 1
  const auto facts = survey(network, 3, 2, params, [](int) { return std::vector<Check>{}; });
  EXPECT_TRUE(facts[1].answered);
  EXPECT_FALSE(facts[2].answered);
}

TEST(RankSurveyTest, WithoutRank0TheOthersEnd) {
  TestNetwork network(2);
  SurveyParams params;
  params.answer_limit_ns = 50 * kNsPerMs;
  EXPECT_THROW(survey_ranks(
                   network.at(1), MachineFiles(), [](int) { return std::vector<Check>{}; }, params),
               EnvironmentError);
}

}  // namespace
}  // namespace harness

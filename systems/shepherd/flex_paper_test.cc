// FLEX on the paper's own examples: Figure 4, Theorem 5.1 (appendix A) and the two streams of section 7.2.
#include <gtest/gtest.h>

#include <cstdio>
#include <utility>
#include <vector>

#include "systems/shepherd/test_flex_simulator.h"
#include "systems/test_two_streams.h"

namespace harness {
namespace {

/// A batch takes 10 ms whatever its size.
FlexWorld figure_4_world(bool preempt) {
  FlexWorld world;
  world.profiles = {flex_profile(0, 10 * kNsPerMs, 128)};
  world.params.preempt = preempt;
  return world;
}

// Figure 4: a request that must start at once; in scenario B a burst of K equally tight ones follows 5 ms
// later.
TEST(FlexFigure4, ServesTheRequestWhenNothingFollows) {
  for (const bool preempt : {true, false}) {
    EXPECT_EQ(simulate_flex(figure_4_world(preempt), {{0, 0, 10 * kNsPerMs}}).in_time, 1);
  }
}

// The burst comes one request after the other, at one instant. One GPU: lambda 2.38, so that the batch grows
// 1, 3, 8, 20, 48 while what has come is large enough; less than a factor of lambda is left behind.
TEST(FlexFigure4, GivesItUpForALargeBurst) {
  const std::vector<std::pair<int, int>> served_of_burst{{2, 1}, {3, 3}, {7, 3}, {8, 8}, {10, 8}, {100, 48}};
  for (const auto& [burst, served] : served_of_burst) {
    std::vector<FlexRequest> requests{{0, 0, 10 * kNsPerMs}};
    for (int i = 0; i < burst; ++i) requests.push_back({0, 5 * kNsPerMs, 15 * kNsPerMs});
    EXPECT_EQ(simulate_flex(figure_4_world(true), requests).in_time, served) << burst;
    EXPECT_EQ(simulate_flex(figure_4_world(false), requests).in_time, 1) << burst;
  }
}

// The guarantee is about preemption at once: here even the next exit point is too late for the burst.
TEST(FlexFigure4, LosesBothWhenThePreemptionTakesTime) {
  FlexWorld world = figure_4_world(true);
  world.profiles[0].exit_points = 3;  // at 2.5, 5 and 7.5 ms
  world.at_exit_points = true;
  std::vector<FlexRequest> requests{{0, 0, 10 * kNsPerMs}};
  for (int i = 0; i < 100; ++i) requests.push_back({0, 6 * kNsPerMs, 16 * kNsPerMs});
  EXPECT_EQ(simulate_flex(world, requests).in_time, 0);
  // At an exit point the whole burst has come, and makes one batch.
  for (FlexRequest& request : requests) request.deadline_ns += 2 * kNsPerMs;
  EXPECT_EQ(simulate_flex(world, requests).in_time, 100);
}

// Appendix A: X_1 of one request and X_2 of omega an instant later, both due when they would end if started
// at once. Whoever serves X_1 and cannot preempt gets 1 of omega.
TEST(FlexTheorem51, IsBoundedWhereNoSchedulerWithoutPreemptionIs) {
  for (const int omega : {4, 64, 1024}) {
    FlexWorld world;
    world.profiles = {flex_profile(0, kNsPerMs, omega)};
    world.params.max_batch = omega;
    std::vector<FlexRequest> requests{{0, 0, kNsPerMs}};
    for (int i = 0; i < omega; ++i) requests.push_back({0, 1, kNsPerMs + 1});
    EXPECT_GT(simulate_flex(world, requests).in_time, omega / 2.38) << omega;
    world.params.preempt = false;
    EXPECT_EQ(simulate_flex(world, requests).in_time, 1) << "the ratio is omega = " << omega;
  }
}

constexpr TimeNs kTwoStreamsNs = 12 * kNsPerS;

FlexOutcome two_streams(double slo_ms, const FlexParams& params, bool at_exit_points = false) {
  FlexWorld world;
  world.profiles = {flex_profile(ms_to_ns(0.22), ms_to_ns(3.74), 128, 40),
                    flex_profile(ms_to_ns(4.37), ms_to_ns(74.20), 128, 128)};
  world.params = params;
  world.at_exit_points = at_exit_points;
  return simulate_flex(world, requests_of_two_streams<FlexRequest>(kTwoStreamsNs, ms_to_ns(slo_ms)));
}

double per_s(int requests) { return requests / ns_to_s(kTwoStreamsNs); }

struct TwoStreams {
  double slo_ms;
  FlexBatch batch;
  bool preempt;
  bool at_exit_points;
  double lowest_per_s;  ///< least goodput expected
  double highest_per_s;
};

// The results that the rules give. 250 ms: ResNet18 in full batches, 128 in 31.9 ms, 4,013/s; ResNeSt269 is
// served only when nothing of ResNet18 is left. 90 ms: of a burst 358 can end in time (128, 128, 102 in 90
// ms), 2,983/s. Without preemption a batch of ResNeSt269, started when the last burst has ended or expired,
// runs into the next burst: 128 + 6 are left of it and 2 of ResNeSt269, 1,133/s. Preemption without delay,
// requests of a burst one after the other: the batch grows 2, 5, 12, 29, 70 and stays at 70, as 128 are not
// 2.38 times as many, so that 70 + 128 + 128 + 15 = 341 end in time, 2,842/s; at an exit point the whole
// burst has come.
TEST(FlexTwoStreams, AreServedAsTheRulesSay) {
  const std::vector<TwoStreams> cases{{250, FlexBatch::kSkip, true, true, 3'970, 4'100},
                                      {250, FlexBatch::kSkip, true, false, 3'970, 4'100},
                                      {250, FlexBatch::kSkip, false, false, 3'970, 4'100},
                                      {250, FlexBatch::kPrefix, true, true, 3'970, 4'100},
                                      {90, FlexBatch::kSkip, true, true, 2'950, 2'990},
                                      {90, FlexBatch::kSkip, true, false, 2'830, 2'860},
                                      {90, FlexBatch::kSkip, false, false, 1'120, 1'140},
                                      {90, FlexBatch::kPrefix, true, true, 2'950, 2'990},
                                      {90, FlexBatch::kPrefix, false, false, 1'200, 1'300}};
  std::printf("  SLO ms  batch   preempt  delay  goodput/s  ResNet18  ResNeSt269  preempted\n");
  for (const TwoStreams& one : cases) {
    FlexParams params;
    params.batch = one.batch;
    params.preempt = one.preempt;
    const FlexOutcome outcome = two_streams(one.slo_ms, params, one.at_exit_points);
    std::printf("  %6.0f  %-6s  %-7s  %-5s  %9.0f  %8.0f  %10.1f  %9d\n", one.slo_ms,
                one.batch == FlexBatch::kSkip ? "skip" : "prefix", one.preempt ? "on" : "off",
                one.at_exit_points ? "exits" : "none", per_s(outcome.in_time), per_s(outcome.in_time_of[0]),
                per_s(outcome.in_time_of[1]), outcome.preempted);
    EXPECT_GE(per_s(outcome.in_time), one.lowest_per_s);
    EXPECT_LE(per_s(outcome.in_time), one.highest_per_s);
  }
}

}  // namespace
}  // namespace harness

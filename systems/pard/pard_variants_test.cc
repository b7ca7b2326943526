// Each variant of PARD's ablation on a case worked out by hand, in which PARD itself decides otherwise.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "systems/pard/admission_level.h"
#include "systems/pard/test_variants.h"

namespace harness {
namespace {

TEST(PardVariants, AreElevenAndStandInTheReadme) {
  std::ifstream file("systems/pard/README.md");
  ASSERT_TRUE(file) << "run from the repository root";
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(pard_variants().size(), 11U);
  for (const PardVariant& variant : pard_variants()) {
    std::string entry = "[[system]]\nname = \"pard\"\nvariant = \"" + variant.name + "\"\nparams = { ";
    for (const auto& [key, value] : variant.settings) {
      entry += (&key == &variant.settings.front().first ? "" : ", ") + key + " = \"" + text_of(value) + '"';
    }
    EXPECT_NE(text.str().find(entry + " }\n"), std::string::npos) << entry;
  }
}

// A visit sent at 0 joins the batch of module 0 (10 ms) that starts at t_e iff t_e <= `last_ms`. Published:
// q = 5 and 6 ms, waits of exactly 3 and 4 ms, worst latencies 50 and 50 ms, the module's own 40 ms. Split
// budgets are cumulative here: they count from the sending as the others do.
struct LimitCase {
  const char* variant;
  TimeNs last_ms;
};
class PardVariantLimits : public ::testing::TestWithParam<LimitCase> {};

TEST_P(PardVariantLimits, JoinUpToTheirLimit) {
  const auto [variant, last_ms] = GetParam();
  for (const TimeNs late : {0, 1}) {
    PardVariantWorld world(variant, 0, 4, {{"budget", "cumulative"}});
    world.period(1, 1, 0, 40);
    world.hear(1, 5, 3, 50);
    world.hear(2, 6, 4, 50);
    world.period(1, 1, 0, 40);
    world.start(last_ms * kMs + late - 10 * kMs);  // so that t_e is 10 ms later
    EXPECT_EQ(world.arrive(last_ms * kMs + late - kMs, 1, 0),
              late == 0 ? "join 0<1" : "drop 1 estimated_late")
        << variant;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Ablation, PardVariantLimits,
    ::testing::Values(LimitCase{"default", 210 - 10 - (5 + 20 + 6 + 40 + 3 + 4)}, LimitCase{"back", 210 - 10},
                      LimitCase{"sf", 210 - 10 - (20 + 40)}, LimitCase{"lower", 210 - 10 - (5 + 20 + 6 + 40)},
                      LimitCase{"upper", 210 - 10 - (5 + 20 + 6 + 40 + 20 + 40)}, LimitCase{"split", 30 - 10},
                      LimitCase{"wcl", 210 * 40 / (40 + 50 + 50) - 10}, LimitCase{"oc", 210 - 10}));

TEST(PardVariants, ACumulativeSplitCutsOffWhatPardStillServes) {
  const ParamValues cumulative = {{"budget", "cumulative"}};
  PardVariantWorld split("split", 1, 4, cumulative);
  // Module 1 allows 30 + 60 ms from the sending: 70 + 20, whatever the module after it has left.
  split.start(51 * kMs);
  EXPECT_EQ(split.arrive(60 * kMs, 1, kMs), "join 0<1");
  EXPECT_EQ(split.arrive(60 * kMs, 2, kMs - 1), "drop 2 estimated_late");
  // In the last module both allow the SLO.
  for (const char* variant : {"default", "split", "wcl"}) {
    PardVariantWorld last(variant, 2, 4, cumulative);
    last.start(130 * kMs);
    EXPECT_EQ(last.arrive(140 * kMs, 1, 0), "join 0<1") << variant;
    EXPECT_EQ(last.arrive(140 * kMs, 2, -1), "drop 2 estimated_late") << variant;
  }
}

TEST(PardVariants, ASplitCountsFromTheArrival) {
  // Module 1 has 60 ms: 40 before the batch starts, 20 in it. Sent long ago, but here only since 60 ms.
  PardVariantWorld world("split", 1, 4);
  world.start(80 * kMs);
  EXPECT_EQ(world.arrive(60 * kMs, 1, -500 * kMs), "join 0<1");
  EXPECT_EQ(world.arrive(60 * kMs - 1, 2, 59 * kMs), "drop 2 estimated_late");
}

TEST(PardVariants, ASplitOrdersByArrival) {
  PardVariantWorld world("split", 1, 1, {{"order", "hbf"}});
  world.start(0);
  world.arrive(0, 1, 0);
  world.arrive(kMs, 2, -2 * kMs);
  world.arrive(2 * kMs, 3, -30 * kMs);  // least time to its due time, most of this module's budget
  EXPECT_EQ(world.start(20 * kMs), "join 0<3");
}

TEST(PardVariants, WclDividesByThePeriodThatEnds) {
  PardVariantWorld world("wcl", 0, 4);
  EXPECT_EQ(world.period(1, 1, 0, 40).budget_ns, 30e6);  // nobody was heard yet: the plan's
  EXPECT_EQ(world.hear(1, 0, 0, 50).period, 0) << "all modules count, one is missing";
  PardState state = world.hear(2, 0, 0, 50);
  EXPECT_EQ(state.budget_ns, 60e6);  // 40 of 140
  EXPECT_EQ(state.downstream_ns, 150e6);
  EXPECT_EQ(world.period(1, 1, 0, 90).budget_ns, 60e6);  // until the others have said theirs
  world.hear(1, 0, 0, 180);
  EXPECT_EQ(world.hear(2, 0, 0, 150).budget_ns, 45e6);  // 90 of 420
}

TEST(PardVariants, WclFollowsTheWorstLatenciesOfThePeriodBefore) {
  PardVariantWorld world("wcl", 0, 4, {{"exchange", "previous"}});
  EXPECT_EQ(world.period(1, 1, 0, 40).budget_ns, 30e6);  // nobody was heard yet: the plan's
  world.hear(1, 0, 0, 50);
  world.hear(2, 0, 0, 50);
  PardState state = world.period(1, 1, 0, 90);
  EXPECT_EQ(state.worst_ns, 90e6);
  EXPECT_EQ(state.budget_ns, 60e6);  // by what was published before: 40 of 140
  EXPECT_EQ(state.downstream_ns, 150e6);
  world.hear(1, 0, 0, 180);
  world.hear(2, 0, 0, 150);
  state = world.period(0);
  EXPECT_EQ(state.budget_ns, 45e6);  // 90 of 420
  for (int i = 0; i < 4; ++i) state = world.period(0);
  EXPECT_EQ(state.worst_ns, 0);  // 90 ms left the window of 5 s
  state = world.period(0);
  EXPECT_NEAR(state.budget_ns, 210e6 * 10 / 340, 1);  // nothing starts here: it counts with its 10 ms
}

/// Two requests: the first below the level, the second at it or above.
std::pair<RequestId, RequestId> around(double level, std::uint64_t seed) {
  const AdmissionLevel priorities(seed);
  RequestId below = 0;
  RequestId above = 0;
  while (priorities.priority(below) >= level) ++below;
  while (priorities.priority(above) < level) ++above;
  return {below, above};
}

TEST(PardVariants, OcRefusesOnArrivalWhatPardServes) {
  for (const char* variant : {"oc", "default"}) {
    PardVariantWorld world(variant, 0, 4);
    world.period(100, 100, 21, 31);  // beyond the threshold of 20 ms: the level falls to 0.95
    const auto [below, above] = around(0.95, world.context().seed);
    world.start(0);
    EXPECT_EQ(world.arrive(kMs, 1, 0, below), "join 0<1");
    EXPECT_EQ(world.arrive(kMs, 2, 0, above), variant == std::string("oc") ? "drop 2 overload" : "join 0<2");
  }
}

TEST(PardVariants, OcWithAFixedShareRefusesTheSameWhileOverloaded) {
  PardVariantWorld world("oc", 0, 4, {{"admission", "fixed"}, {"overload_admitted", 0.7}});
  const auto [below, above] = around(0.7, world.context().seed);
  for (int i = 0; i < 3; ++i) world.period(100, 100, 21, 31);
  world.start(0);
  EXPECT_EQ(world.arrive(kMs, 1, 0, below), "join 0<1");
  EXPECT_EQ(world.arrive(kMs, 2, 0, above), "drop 2 overload");
  world.period(100, 100, 20, 30);
  EXPECT_EQ(world.arrive(kMs, 3, 0, above), "join 0<3");
  EXPECT_EQ(world.hear(2, 0, 0, 0, 0.7).admitted, 0.7);  // a later module: at once
  EXPECT_EQ(world.arrive(kMs, 4, 0, above), "drop 4 overload");
}

TEST(PardVariants, OcTellsTheModulesBeforeAtOnce) {
  PardVariantWorld entry("oc", 0, 4);
  entry.period(0);
  entry.hear(2, 0, 0, 0, 0.6);  // passed on without waiting for a period
  const auto [below, above] = around(0.6, entry.context().seed);
  entry.start(0);
  EXPECT_EQ(entry.arrive(kMs, 1, 0, below), "join 0<1");
  EXPECT_EQ(entry.arrive(kMs, 2, 0, above), "drop 2 overload");
  // Behind the overloaded module nothing is refused.
  PardVariantWorld sink("oc", 2, 4);
  sink.period(0);
  sink.hear(0, 0, 0, 0, 0.6);
  sink.start(0);
  EXPECT_EQ(sink.arrive(kMs, 2, 0, above), "join 0<2");
}

// One visit a batch. Queued when the next batch starts: 3 first, then 4 with the least and 5 with the most
// budget.
std::string next_of(PardVariantWorld& world) {
  world.start(0);
  world.arrive(0, 1, 0);
  world.arrive(kMs, 3, -5 * kMs);
  world.arrive(2 * kMs, 4, -10 * kMs);
  world.arrive(3 * kMs, 5, 0);
  return world.start(10 * kMs);
}
std::string next_at(const std::string& variant, const std::vector<double>& loads) {
  PardVariantWorld world(variant, 0, 1);
  for (const double load : loads) world.period(100 * load);  // one worker, 10 ms: 100 requests/s
  return next_of(world);
}

TEST(PardVariants, FixedOrdersDifferFromPardInOneKindOfLoad) {
  EXPECT_EQ(next_at("default", {0.5}), "join 0<4");
  EXPECT_EQ(next_at("default", {1.5}), "join 0<5");
  for (const double load : {0.5, 1.5}) {
    EXPECT_EQ(next_at("lbf", {load}), "join 0<4");
    EXPECT_EQ(next_at("hbf", {load}), "join 0<5");
    EXPECT_EQ(next_at("fcfs", {load}), "join 0<3");
  }
}

// Load 0.8, then 1.04: T_s = 0.92, so eps = 0.12 / 1.84 = 0.065 and PARD waits; instant does not.
TEST(PardVariants, InstantHasNoBand) {
  EXPECT_EQ(next_at("default", {0.8, 1.04}), "join 0<4");
  EXPECT_EQ(next_at("instant", {0.8, 1.04}), "join 0<5");
  EXPECT_EQ(next_at("default", {0.8, 1.08}), "join 0<5");  // eps = 0.14 / 1.88 = 0.074
}

}  // namespace
}  // namespace harness

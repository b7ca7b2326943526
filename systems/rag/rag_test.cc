// The three policies of PARD section 7 on cases computed by hand.
#include "systems/rag/rag.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/serving/test_params.h"
#include "harness/serving/test_world.h"
#include "systems/rag/rag_controller.h"
#include "systems/rag/rag_measured.h"
#include "systems/rag/rag_params.h"
#include "systems/rag/rag_policy.h"
#include "systems/rag/rag_state.h"

namespace harness {
namespace {

constexpr TimeNs kS = kNsPerS;

/// Prompts at 1000 tokens/s, 10 tokens/s decoded; lengths from the trace; `mean_ms` is planned for a visit.
Profile shared_profile(bool first_token, double mean_ms) {
  Profile profile;
  profile.service = Service::kShared;
  profile.shared.slots = 2;
  profile.shared.prefill_tokens_per_s = 1000;
  profile.shared.decode_tokens_per_s = {10, 20};
  profile.shared.ends_at_first_token = first_token;
  profile.shared.lengths_from_trace = true;
  profile.latency_ns = {ms_to_ns(mean_ms)};
  return profile;
}

/// rewrite -> generate, SLO 5 s. Requests 0, 2, 4, ... have 1000 + 1 tokens at both modules, requests 1, 3,
/// 5,
/// ... 1000 + 31: alone rewrite takes 1 s or 4 s (planned: 2.1 s), generate's prefill 1 s.
class RagTest : public testing::Test {
 protected:
  RagTest() {
    world_.context.sizes = &sizes_;
    plan_ = world_.plan({1, 1});
  }

  std::unique_ptr<SchedulerDriver> driver(const char* policy, ModuleId module = 0) {
    system_ = make_rag();
    set_params(*system_, {{"policy", std::string(policy)}});
    auto driver = std::make_unique<SchedulerDriver>(system_->make_scheduler(world_.context, 0, module),
                                                    world_.context, module);
    driver->plan(0, plan_);
    return driver;
  }

  std::vector<Profile> profiles_{shared_profile(false, 2100), shared_profile(true, 1000)};
  TestWorld world_{profiles_, 5 * kS, 4};
  RequestSizes sizes_{1, profiles_, std::make_shared<const TraceTokens>(TraceTokens{{1000, 1}, {1000, 31}})};
  Plan plan_;
  std::unique_ptr<System> system_;
};

TEST_F(RagTest, ReactiveServesUntilTheObjectiveHasPassed) {
  auto at_due = driver("reactive");
  at_due->arrive(0, 1, 0);
  EXPECT_EQ(at_due->add(5 * kS, 0), "join 0<1; launch 0");
  auto after = driver("reactive");
  after->arrive(0, 1, 0);
  EXPECT_EQ(after->add(5 * kS + 1, 0), "drop 1 expired");
}

TEST_F(RagTest, ProactiveTakesRewriteByItsMeanAndPrefillByTheInput) {
  // 2.1 s of rewrite as planned + 1 s of prefill: 1.9 s may have passed, for any output length.
  for (const VisitId visit : {2u, 3u}) {
    auto just = driver("proactive");
    just->arrive(0, visit, 0);
    EXPECT_EQ(just->add(1900 * kMs, 0), "join 0<" + std::to_string(visit) + "; launch 0");
    auto late = driver("proactive");
    late->arrive(0, visit, 0);
    EXPECT_EQ(late->add(1900 * kMs + 1, 0), "drop " + std::to_string(visit) + " estimated_late");
  }
}

TEST_F(RagTest, PredictKnowsTheOutputLength) {
  // Request 2: 1 s + 1 s of prefill, 3 s may have passed. Request 3: 4 s + 1 s, nothing may have.
  auto driver_2 = driver("predict");
  driver_2->arrive(0, 2, 0);
  EXPECT_EQ(driver_2->add(3 * kS, 0), "join 0<2; launch 0");
  auto late_2 = driver("predict");
  late_2->arrive(0, 2, 0);
  EXPECT_EQ(late_2->add(3 * kS + 1, 0), "drop 2 estimated_late");
  auto driver_3 = driver("predict");
  driver_3->arrive(0, 3, 0);
  EXPECT_EQ(driver_3->add(0, 0), "join 0<3; launch 0");
  auto late_3 = driver("predict");
  late_3->arrive(0, 3, 0);
  EXPECT_EQ(late_3->add(1, 0), "drop 3 estimated_late");
}

TEST_F(RagTest, GenerateCountsItsPrefillAlone) {
  // The output, however long, comes after the first token: 4 s may have passed.
  auto just = driver("proactive", 1);
  just->arrive(4 * kS, 3, 0);
  EXPECT_EQ(just->add(4 * kS, 0), "join 0<3; launch 0");
  auto late = driver("proactive", 1);
  late->arrive(4 * kS, 3, 0);
  EXPECT_EQ(late->add(4 * kS + 1, 0), "drop 3 estimated_late");
}

TEST_F(RagTest, SlotsTakeNothingEarlyAndNothingIsLeftBehind) {
  auto one = driver("proactive");
  EXPECT_EQ(one->add(0, 0), "");
  EXPECT_EQ(one->arrive(0, 2, 0), "join 0<2; launch 0");
  one->started(0, 0, kS);
  EXPECT_EQ(one->arrive(0, 4, 0), "") << "the slot is taken: no batch forms behind a running visit";
}

TEST_F(RagTest, PublishesMeansOfWhatItsQueuesReport) {
  RagController rewrite(world_.context, 0, RagParams());
  RagController generate(world_.context, 1, RagParams());
  Publication out;
  rewrite.on_plan(0, plan_);
  generate.on_plan(0, plan_);
  // Generate: four visits waited 0.2 s in all, and took 0.8 s beyond their prefills.
  generate.on_report(kS, 0, RagReport{4, 2e8, 4, 8e8, 0}.values(), out);
  generate.on_period(kS, out);
  ASSERT_TRUE(out.due());
  const RagState after = RagState::of(out.state());
  EXPECT_DOUBLE_EQ(after.own.queueing_ns, 5e7);
  EXPECT_DOUBLE_EQ(after.own.exec_ns, 2e8);
  EXPECT_DOUBLE_EQ(after.downstream_ns, 0);
  rewrite.on_state(kS, 1, out.state(), out);
  // Rewrite: two visits took 6 s, 4 s alone.
  out.clear();
  rewrite.on_report(kS, 0, RagReport{2, 0, 2, 6e9, 4e9}.values(), out);
  rewrite.on_period(kS, out);
  const RagState first = RagState::of(out.state());
  EXPECT_DOUBLE_EQ(first.own.exec_ns, 3e9);
  EXPECT_DOUBLE_EQ(first.own.slowdown, 1.5);
  EXPECT_DOUBLE_EQ(first.downstream_ns, 2.5e8) << "queueing and waiting at generate, without prefill";
}

// Three edges into each of 40 modules: 10^10 paths, which nobody may list.
TEST(RagPolicy, CountsThePrefillBehindManyPathsOnce) {
  constexpr ModuleId kModules = 40;
  std::vector<std::pair<ModuleId, ModuleId>> edges;
  for (ModuleId to = 1; to < kModules; ++to) {
    for (ModuleId from = to < 3 ? 0 : to - 3; from < to; ++from) edges.push_back({from, to});
  }
  std::vector<Profile> profiles(kModules, profile_of_ms({1}));
  profiles.back() = shared_profile(true, 1000);
  TestWorld world(profiles, 5 * kS, kModules, edges);
  const RequestSizes sizes{1, profiles, std::make_shared<const TraceTokens>(TraceTokens{{1000, 1}})};
  world.context.sizes = &sizes;
  RagPolicy policy(world.context, 0, RagParams());
  policy.on_plan(0, world.plan(std::vector<int>(kModules, 1)));
  // 1 ms here, 38 later of 1.1 ms each, 1 s of prefill.
  EXPECT_NEAR(policy.remaining_ns(0), 1e6 + 38 * 1.1e6 + 1e9, 1);
}

TEST_F(RagTest, EstimatesFollowThePublishedState) {
  const RagState state{{0, 3e9, 1.5}, 2.5e8};
  RagParams params;
  RagPolicy proactive(world_.context, 0, params);
  proactive.on_plan(0, plan_);
  proactive.on_state(0, 0, state.values());
  EXPECT_DOUBLE_EQ(proactive.remaining_ns(3), 3e9 + 2.5e8 + 1e9);
  params.policy = RagDropping::kPredict;
  RagPolicy predict(world_.context, 0, params);
  predict.on_plan(0, plan_);
  predict.on_state(0, 0, state.values());
  EXPECT_DOUBLE_EQ(predict.remaining_ns(2), 1.5 * 1e9 + 2.5e8 + 1e9);
  EXPECT_DOUBLE_EQ(predict.remaining_ns(3), 1.5 * 4e9 + 2.5e8 + 1e9);
}

TEST(RagDownstream, TakesRetrieveAsPardDoesAndTheLongerBranch) {
  // 0 -> {1 retrieve (batch, 100 ms), 2 search (mean 80 ms)} -> 3 (measured 20 ms + 10 ms queueing).
  Profile search = profile_of_ms({80});
  search.service = Service::kDelay;
  const std::vector<Profile> profiles = {profile_of_ms({10}), profile_of_ms({100}), search,
                                         shared_profile(true, 1000)};
  const TestWorld world(profiles, kS, 4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
  const Plan plan = world.plan({1, 1, 1, 1});
  std::vector<RagMeasured> measured = {{0, 0, 1}, {5e6, 0, 1}, {0, 80e6, 1}, {10e6, 20e6, 1}};
  // Retrieve: 5 ms of queueing + 10 % of 100 ms of batch wait + 100 ms, more than search.
  EXPECT_DOUBLE_EQ(downstream_ns(world.context, 0, plan, measured, 0.1), 115e6 + 30e6);
  measured[2].exec_ns = 300e6;
  EXPECT_DOUBLE_EQ(downstream_ns(world.context, 0, plan, measured, 0.1), 300e6 + 30e6);
}

}  // namespace
}  // namespace harness

#include "systems/pard/downstream_estimate.h"

#include <gtest/gtest.h>

#include <utility>

#include "harness/core/input_error.h"
#include "harness/core/test_time.h"
#include "systems/pard/pard_test_world.h"

namespace harness {
namespace {

DownstreamEstimate::Value estimate(const PardTestWorld& world, ModuleId module, const PardParams& params) {
  DownstreamEstimate estimate(world.context, module, params);
  estimate.on_plan(world.plan);
  return estimate.compute(1);
}

PardState state_of(double queueing_ns, double exec_ns, double wait_ns) {
  PardState state;
  state.queueing_ns = queueing_ns;
  state.exec_ns = exec_ns;
  state.table.at.fill(static_cast<float>(wait_ns));
  return state;
}

TEST(DownstreamEstimate, IsZeroForTheLastModule) {
  const PardTestWorld world({10 * kMs, 20 * kMs}, chain_of(2));
  EXPECT_EQ(estimate(world, 1, {}).downstream_ns, 0);
  EXPECT_EQ(estimate(world, 1, {}).wait_ns, 0);
}

TEST(DownstreamEstimate, StartsFromThePlanAndUniformWaits) {
  const PardTestWorld world({7 * kMs, 20 * kMs, 20 * kMs}, chain_of(3));
  const DownstreamEstimate::Value value = estimate(world, 0, {});
  EXPECT_NEAR(value.wait_ns / (20 * kMs), 0.447, 0.02);
  EXPECT_DOUBLE_EQ(value.downstream_ns, 40.0 * kMs + value.wait_ns);
}

TEST(DownstreamEstimate, HasExactBounds) {
  const PardTestWorld world({7 * kMs, 20 * kMs, 30 * kMs}, chain_of(3));
  for (const double lambda : {0.0, 1.0}) {
    PardParams params;
    params.lambda = lambda;
    EXPECT_EQ(estimate(world, 0, params).wait_ns, lambda * 50 * kMs);
  }
  PardParams lower;
  lower.downstream_wait = DownstreamWait::kZero;
  EXPECT_EQ(estimate(world, 0, lower).downstream_ns, 50.0 * kMs);
  PardParams upper;
  upper.downstream_wait = DownstreamWait::kSumD;
  EXPECT_EQ(estimate(world, 0, upper).downstream_ns, 100.0 * kMs);
}

TEST(DownstreamEstimate, AddsWhatTheLaterModulesPublish) {
  const PardTestWorld world({7 * kMs, 20 * kMs, 30 * kMs}, chain_of(3));
  DownstreamEstimate estimate(world.context, 0, {});
  estimate.on_plan(world.plan);
  estimate.on_state(1, state_of(1e6, 20e6, 4e6));
  estimate.on_state(2, state_of(2e6, 30e6, 5e6));
  DownstreamEstimate::Value value = estimate.compute(1);
  EXPECT_DOUBLE_EQ(value.wait_ns, 9e6);
  EXPECT_DOUBLE_EQ(value.downstream_ns, 1e6 + 20e6 + 2e6 + 30e6 + 9e6);
  // The module's own state and those before it do not count.
  estimate.on_state(0, state_of(500e6, 500e6, 500e6));
  EXPECT_DOUBLE_EQ(estimate.compute(1).downstream_ns, 62e6);
  // A plan that changes nothing leaves the published values; one with another batch replaces d.
  estimate.on_plan(world.plan);
  EXPECT_DOUBLE_EQ(estimate.compute(1).downstream_ns, 62e6);
  Plan plan = world.plan;
  plan.modules[2].exec_ns = 40 * kMs;
  estimate.on_plan(plan);
  EXPECT_DOUBLE_EQ(estimate.compute(1).downstream_ns, 72e6);
  // A state published before that plan, but delayed, brings its q and waits, not its d.
  estimate.on_state(2, state_of(3e6, 30e6, 6e6));
  EXPECT_DOUBLE_EQ(estimate.compute(1).downstream_ns, 1e6 + 20e6 + 3e6 + 40e6 + 10e6);
}

TEST(DownstreamEstimate, NarrowsWithTheScope) {
  const PardTestWorld world({7 * kMs, 20 * kMs, 30 * kMs}, chain_of(3));
  for (const auto& [scope, expected] : {std::pair{EstimateScope::kBack, 0.0}, {EstimateScope::kSf, 50e6}}) {
    PardParams params;
    params.estimate = scope;
    DownstreamEstimate estimate(world.context, 0, params);
    estimate.on_plan(world.plan);
    estimate.on_state(1, state_of(1e6, 20e6, 4e6));
    EXPECT_DOUBLE_EQ(estimate.compute(1).downstream_ns, expected);
  }
}

// da: 0 -> {1, 2} -> 3 (merge).
TEST(DownstreamEstimate, TakesTheLongestPathOfADag) {
  const PardTestWorld world({10 * kMs, 20 * kMs, 30 * kMs, 5 * kMs}, {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
  DownstreamEstimate estimate(world.context, 0, {});
  estimate.on_plan(world.plan);
  estimate.on_state(1, state_of(1e6, 20e6, 2e6));
  estimate.on_state(2, state_of(3e6, 30e6, 4e6));
  estimate.on_state(3, state_of(5e6, 5e6, 6e6));
  EXPECT_DOUBLE_EQ(estimate.compute(1).downstream_ns, 33e6 + 10e6 + 10e6);
  EXPECT_DOUBLE_EQ(estimate.compute(1).wait_ns, 10e6);
  // A queue builds up on the other branch: 1 then decides, with its own batch wait.
  estimate.on_state(1, state_of(40e6, 20e6, 2e6));
  EXPECT_DOUBLE_EQ(estimate.compute(1).downstream_ns, 60e6 + 10e6 + 8e6);
  EXPECT_DOUBLE_EQ(estimate.compute(1).wait_ns, 8e6);
}

// 0 -> {1, 2} -> 3: each looks at what lies behind it, wcl at all others, the rest at no state at all.
TEST(DownstreamEstimate, NamesTheModulesWhoseStatesItUses) {
  const PardTestWorld world(std::vector<TimeNs>(4, kMs), {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
  const auto sources = [&](EstimateScope scope, ModuleId module) {
    PardParams params;
    params.estimate = scope;
    return DownstreamEstimate(world.context, module, params).sources();
  };
  using Modules = std::vector<ModuleId>;
  EXPECT_EQ(sources(EstimateScope::kFull, 0), (Modules{1, 2, 3}));
  EXPECT_EQ(sources(EstimateScope::kFull, 2), Modules{3});
  EXPECT_EQ(sources(EstimateScope::kFull, 3), Modules{});
  EXPECT_EQ(sources(EstimateScope::kWcl, 2), (Modules{0, 1, 3}));
  for (const EstimateScope scope :
       {EstimateScope::kBack, EstimateScope::kSf, EstimateScope::kSplit, EstimateScope::kOff})
    EXPECT_EQ(sources(scope, 0), Modules{});
}

TEST(DownstreamEstimate, RefusesTooManyPaths) {
  // Eleven diamonds in a row: 2^11 paths.
  std::vector<std::pair<ModuleId, ModuleId>> edges;
  ModuleId last = 0;
  for (int i = 0; i < 11; ++i, last = static_cast<ModuleId>(last + 3)) {
    for (ModuleId branch = 1; branch <= 2; ++branch) {
      edges.emplace_back(last, last + branch);
      edges.emplace_back(last + branch, last + 3);
    }
  }
  const PardTestWorld world(std::vector<TimeNs>(last + 1U, kMs), edges);
  EXPECT_THROW(DownstreamEstimate(world.context, 0, {}), InputError);
  EXPECT_NO_THROW(DownstreamEstimate(world.context, 3, {}));
}

}  // namespace
}  // namespace harness

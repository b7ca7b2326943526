#include "systems/pard/budget_split.h"

#include <gtest/gtest.h>

#include "harness/serving/common_plans.h"
#include "harness/serving/sizing_planner.h"
#include "harness/serving/test_world.h"

namespace harness {
namespace {

/// 10, 20 and 40 ms in a chain, SLO 140 ms: the plan's budgets are 20, 40 and 80 ms.
class BudgetSplitTest : public ::testing::Test {
 protected:
  BudgetSplit split(ModuleId module) const {
    BudgetSplit split(world_.context, module, params_);
    split.on_plan(plan_);
    return split;
  }
  static void hear(BudgetSplit& split, TimeNs first, TimeNs second, TimeNs third) {
    split.on_worst(0, first * kMs);
    split.on_worst(1, second * kMs);
    split.on_worst(2, third * kMs);
  }

  TestWorld world_{{profile_of_ms({10}), profile_of_ms({20}), profile_of_ms({40})}, 140 * kMs, 7};
  Plan plan_ = make_sizing_planner(world_.context, {}, {})->plan(0, {}, {});
  PardParams params_{.estimate = EstimateScope::kWcl, .budget = SplitBudget::kCumulative};
};

TEST_F(BudgetSplitTest, AFixedSplitAddsUpTheBudgetsBeforeOrCarriesNothingOver) {
  params_.estimate = EstimateScope::kSplit;
  const TimeNs cumulative_ms[] = {20, 60, 140};
  const TimeNs own_ms[] = {20, 40, 80};
  for (ModuleId module = 0; module < 3; ++module) {
    params_.budget = SplitBudget::kCumulative;
    BudgetSplit fixed = split(module);
    EXPECT_EQ(fixed.allowed_ns(), cumulative_ms[module] * kMs);
    hear(fixed, 70, 35, 35);
    fixed.on_period(1);
    EXPECT_EQ(fixed.own_ns(), own_ms[module] * kMs) << "whatever the worst latencies";
    params_.budget = SplitBudget::kPerModule;
    EXPECT_EQ(split(module).allowed_ns(), own_ms[module] * kMs);
  }
}

TEST_F(BudgetSplitTest, DividesInProportionToTheWorstLatencies) {
  // 30 + 10 + 30 = 70 ms: the SLO is twice that.
  for (const auto& [module, own, allowed] : {std::tuple{0, 60, 60}, {1, 20, 80}, {2, 60, 140}}) {
    BudgetSplit wcl = split(static_cast<ModuleId>(module));
    hear(wcl, 30, 10, 30);
    wcl.on_period(1);
    EXPECT_EQ(wcl.own_ns(), own * kMs);
    EXPECT_EQ(wcl.allowed_ns(), allowed * kMs);
  }
}

TEST_F(BudgetSplitTest, KeepsThePlansBudgetsUntilEveryModuleWasHeard) {
  BudgetSplit wcl = split(0);
  wcl.on_worst(0, 100 * kMs);
  wcl.on_worst(1, 100 * kMs);
  wcl.on_period(1);
  EXPECT_EQ(wcl.own_ns(), 20 * kMs);
  wcl.on_worst(2, 80 * kMs);
  EXPECT_EQ(wcl.own_ns(), 20 * kMs);  // only at the end of a period
  wcl.on_period(2);
  EXPECT_EQ(wcl.own_ns(), 50 * kMs);  // 140 x 100 / 280
}

TEST_F(BudgetSplitTest, CountsAModuleWithoutVisitsWithItsExecution) {
  BudgetSplit wcl = split(2);
  hear(wcl, 30, 0, 90);
  wcl.on_period(1);
  EXPECT_EQ(wcl.own_ns(), 90 * kMs);
}

TEST_F(BudgetSplitTest, ReallocatesEverySoManyPeriods) {
  params_.wcl_period_s = 3;
  BudgetSplit wcl = split(0);
  hear(wcl, 30, 10, 30);
  wcl.on_period(1);
  wcl.on_period(2);
  EXPECT_EQ(wcl.own_ns(), 20 * kMs);
  wcl.on_period(3);
  EXPECT_EQ(wcl.own_ns(), 60 * kMs);
  hear(wcl, 10, 10, 50);
  wcl.on_period(4);
  wcl.on_period(5);
  EXPECT_EQ(wcl.own_ns(), 60 * kMs);
  wcl.on_period(6);
  EXPECT_EQ(wcl.own_ns(), 20 * kMs);
}

TEST_F(BudgetSplitTest, ANewPlanSetsTheBudgetsOnlyBeforeTheExchange) {
  BudgetSplit wcl = split(0);
  Plan plan = plan_;
  plan.modules[0].budget_ns = 30 * kMs;
  wcl.on_plan(plan);
  EXPECT_EQ(wcl.own_ns(), 30 * kMs);
  hear(wcl, 30, 10, 30);
  wcl.on_period(1);
  wcl.on_plan(plan);
  EXPECT_EQ(wcl.own_ns(), 60 * kMs);
}

// 0 -> {1, 2} -> 3 with 10, 20, 5 and 10 ms: the longest path has 40.
TEST(ProportionalBudgets, FollowTheLongestPathOfADag) {
  const TestWorld world({profile_of_ms({10}), profile_of_ms({20}), profile_of_ms({5}), profile_of_ms({10})},
                        400 * kMs, 4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
  const std::vector<TimeNs> latencies = {10 * kMs, 20 * kMs, 5 * kMs, 10 * kMs};
  EXPECT_EQ(proportional_budgets(world.context, latencies),
            (std::vector<TimeNs>{100 * kMs, 200 * kMs, 50 * kMs, 100 * kMs}));
  Plan plan = world.plan({1, 1, 1, 1});
  for (std::size_t k = 0; k < 4; ++k) plan.modules[k].budget_ns = latencies[k];
  PardParams params;
  params.estimate = EstimateScope::kSplit;
  params.budget = SplitBudget::kCumulative;
  for (const auto& [module, allowed] : {std::pair{1, 30}, {2, 15}, {3, 40}}) {
    BudgetSplit split(world.context, static_cast<ModuleId>(module), params);
    split.on_plan(plan);
    EXPECT_EQ(split.allowed_ns(), allowed * kMs);
  }
}

}  // namespace
}  // namespace harness

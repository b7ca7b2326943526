#include "harness/live/plan_words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/random.h"

namespace harness {
namespace {

int below(RandomStream& random, std::uint64_t end) { return static_cast<int>(random.below(end)); }

Plan random_plan(RandomStream& random) {
  Plan plan;
  plan.modules.resize(1 + random.below(6));
  for (ModulePlan& module : plan.modules)
    module = {below(random, 9), 1 + below(random, 128), below(random, 1'000'000), below(random, 1'000'000)};
  plan.groups.resize(random.below(5));
  for (WorkerGroup& group : plan.groups) {
    group.workers = below(random, 9);
    for (ModuleId m = 0; m < plan.modules.size(); ++m) {
      if (random.below(2) == 0 || (m + 1U == plan.modules.size() && group.modules.empty()))
        group.modules.push_back(m);
    }
    const bool own_batches = random.below(2) == 0;
    for (std::size_t i = 0; own_batches && i < group.modules.size(); ++i)
      group.batch_caps.push_back(1 + below(random, 128));
    group.cycle_ns = below(random, 1'000'000);
  }
  return plan;
}

/// What everyone who is handed a plan takes for granted.
void expect_sound(const Plan& plan, std::size_t modules) {
  ASSERT_EQ(plan.modules.size(), modules);
  for (const ModulePlan& module : plan.modules) ASSERT_GE(module.batch_cap, 1);
  for (const WorkerGroup& group : plan.groups) {
    ASSERT_FALSE(group.modules.empty());
    for (const ModuleId module : group.modules) ASSERT_LT(module, modules);
    if (!group.batch_caps.empty()) {
      ASSERT_EQ(group.batch_caps.size(), group.modules.size());
    }
    for (const int cap : group.batch_caps) ASSERT_GE(cap, 1);
  }
}

TEST(PlanWords, HoldTheWholePlan) {
  RandomStream random(1, "plan words");
  for (int round = 0; round < 300; ++round) {
    const Plan plan = random_plan(random);
    EXPECT_TRUE(plan_of(words_of(plan), plan.modules.size()) == plan) << round;
  }
}

TEST(PlanWords, OfAnotherLengthOrPipelineAreNoPlan) {
  RandomStream random(2, "plan words");
  for (int round = 0; round < 100; ++round) {
    const Plan plan = random_plan(random);
    std::vector<std::int64_t> words = words_of(plan);
    EXPECT_THROW(plan_of(words, plan.modules.size() + 1), EnvironmentError);
    for (std::size_t length = 0; length < words.size(); ++length)
      EXPECT_THROW(plan_of(std::span(words).first(length), plan.modules.size()), EnvironmentError) << length;
    words.push_back(0);
    EXPECT_THROW(plan_of(words, plan.modules.size()), EnvironmentError);
  }
}

TEST(PlanWords, ChangedAreRefusedOrASoundPlan) {
  RandomStream random(3, "plan words");
  int refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    const Plan plan = random_plan(random);
    std::vector<std::int64_t> words = words_of(plan);
    for (std::uint64_t changes = 1 + random.below(3); changes > 0; --changes)
      words[random.below(words.size())] = below(random, 10) - 2;
    try {
      expect_sound(plan_of(words, plan.modules.size()), plan.modules.size());
    } catch (const EnvironmentError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 5'000);
}

}  // namespace
}  // namespace harness

#include "harness/serving/common_plans.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "harness/core/input_error.h"
#include "harness/core/random_stream.h"

namespace harness {
namespace {

Profile profile_of(int max_batch, Service service = Service::kBatch) {
  Profile profile;
  for (int batch = 1; batch <= max_batch; ++batch) profile.latency_ns.push_back(10 + batch);
  profile.service = service;
  return profile;
}

/// Returns a plan of 1 to 6 modules, with up to 4 groups.
Plan random_plan(RandomStream& random) {
  const auto below = [&](std::uint64_t end) { return static_cast<int>(random.below(end)); };
  Plan plan;
  plan.modules.resize(1 + random.below(6));
  for (ModulePlan& module : plan.modules) {
    module.workers = below(9);
    module.max_batch = 1 + below(128);
  }
  plan.groups.resize(random.below(5));
  for (WorkerGroup& group : plan.groups) {
    for (ModuleId m = 0; m < plan.modules.size(); ++m) {
      if (random.below(2) == 0 || (m + 1U == plan.modules.size() && group.modules.empty()))
        group.modules.push_back(m);
    }
    if (random.below(2) == 0) group.max_batches.assign(group.modules.size(), 1 + below(128));
    if (random.below(2) == 0) group.shares.assign(group.modules.size(), below(3));
  }
  return plan;
}

TEST(CommonPlans, APlanThatSuitsIsOneThatEveryoneCanWalk) {
  RandomStream random(1, "plans that suit");
  for (int round = 0; round < 300; ++round) {
    const Plan plan = random_plan(random);
    const std::size_t modules = plan.modules.size();
    ASSERT_TRUE(suits(plan, modules));
    EXPECT_FALSE(suits(plan, modules + 1));
    Plan bad = plan;
    bad.modules[random.below(modules)].max_batch = 0;
    EXPECT_FALSE(suits(bad, modules));
    if (plan.groups.empty()) continue;
    const std::size_t g = random.below(plan.groups.size());
    for (const auto& damage : std::vector<void (*)(WorkerGroup&)>{
             [](WorkerGroup& group) { group.modules.clear(); },
             [](WorkerGroup& group) { group.modules.back() = 6; },
             [](WorkerGroup& group) { group.max_batches.assign(group.modules.size() + 1, 1); },
             [](WorkerGroup& group) { group.max_batches.assign(group.modules.size(), 0); },
             [](WorkerGroup& group) { group.shares.assign(group.modules.size() + 1, 1); }}) {
      bad = plan;
      damage(bad.groups[g]);
      EXPECT_FALSE(suits(bad, modules));
    }
  }
}

TEST(CommonPlans, OneGroupHasAllWorkersAndModels) {
  const Profile large = profile_of(64), small = profile_of(4);
  ServingContext context;
  context.profiles = {&large, &small};
  context.workers = 7;
  const Plan plan = one_group_plan(context, 16);
  ASSERT_EQ(plan.groups.size(), 1U);
  EXPECT_EQ(plan.groups[0].workers, 7);
  EXPECT_EQ(plan.groups[0].modules, (std::vector<ModuleId>{0, 1}));
  ASSERT_EQ(plan.modules.size(), 2U);
  EXPECT_EQ(plan.modules[0].workers, 7);
  EXPECT_EQ(plan.modules[0].max_batch, 16);
  EXPECT_EQ(plan.modules[0].exec_ns, 26);
  EXPECT_EQ(plan.modules[1].workers, 7);
  EXPECT_EQ(plan.modules[1].max_batch, 4);
  EXPECT_EQ(plan.modules[1].exec_ns, 14);
}

TEST(CommonPlans, HaveAtMostTheGroupsThatCanBeNumbered) {
  EXPECT_NO_THROW(check_group_count(65'534));
  EXPECT_THROW(check_group_count(65'535), InputError);
  EXPECT_THROW(check_group_count(70'000), InputError);
}

TEST(CommonPlans, KnowWhatRunsInBatches) {
  const Profile batch = profile_of(4), delay = profile_of(1, Service::kDelay);
  ServingContext context;
  context.profiles = {&batch, &batch};
  EXPECT_TRUE(has_only_batches(context));
  context.profiles.push_back(&delay);
  EXPECT_FALSE(has_only_batches(context));
}

Plan plan_with(std::vector<WorkerGroup> groups, int max_batch = 4) {
  Plan plan;
  plan.modules = {{1, max_batch, 10, 0}, {1, max_batch, 10, 0}};
  plan.groups = std::move(groups);
  return plan;
}

TEST(ContinuedPlan, UsesEqualGroupsAgainAndAddsTheOthers) {
  const Plan current = plan_with({{2, {0}}, {1, {0, 1}}, {3, {1}, {4}, 7}});
  const Plan plan =
      continued_plan(current, plan_with({{5, {1}, {4}, 7}, {1, {1}}, {2, {0}, {2}}, {3, {0, 1}}}));
  ASSERT_EQ(plan.groups.size(), 5U);
  const std::vector<int> workers = {0, 3, 5, 1, 2};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(plan.groups[i].workers, workers[i]) << i;
  EXPECT_EQ(plan.groups[3].modules, (std::vector<ModuleId>{1}));
  EXPECT_EQ(plan.groups[4].max_batches, (std::vector<int>{2}));
  EXPECT_TRUE(follows(current, plan));
  // Back: nothing is added, and the retired group is used again.
  const Plan back = continued_plan(plan, current);
  ASSERT_EQ(back.groups.size(), 5U);
  const std::vector<int> before = {2, 1, 3, 0, 0};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(back.groups[i].workers, before[i]) << i;
}

TEST(ContinuedPlan, BatchesNeverGetSmaller) {
  const Plan plan = continued_plan(plan_with({{1, {0}}}, 8), plan_with({{1, {0}}}, 4));
  EXPECT_EQ(plan.modules[0].max_batch, 8);
}

TEST(ContinuedPlan, EndsWhereGroupsAreUsedUp) {
  Plan current = plan_with({});
  for (std::size_t i = 0; i < kMaxGroups; ++i)
    current.groups.push_back({0, {0}, {1}, static_cast<TimeNs>(i + 1)});
  current.groups[7].workers = 2;
  EXPECT_EQ(continued_plan(current, plan_with({{1, {1}}})).groups[7].workers, 2) << "as it was";
  EXPECT_EQ(continued_plan(current, plan_with({{1, {0}, {1}, 5}})).groups[4].workers, 1);
}

TEST(ContinuedPlan, AnythingElseDoesNotFollow) {
  const Plan current = plan_with({{2, {0}}, {1, {1}}});
  EXPECT_TRUE(follows(current, plan_with({{0, {0}}, {3, {1}}, {1, {0}}})));
  EXPECT_FALSE(follows(current, plan_with({{2, {0}}}))) << "a group is gone";
  EXPECT_FALSE(follows(current, plan_with({{1, {1}}, {2, {0}}}))) << "in another order";
  EXPECT_FALSE(follows(current, plan_with({{2, {0}, {3}}, {1, {1}}}))) << "other batches";
  EXPECT_FALSE(follows(current, plan_with({{2, {0}}, {1, {1}}}, 2))) << "smaller batches";
}

/// Returns the number of workers that join a group which they are not in yet.
int moves(const std::vector<WorkerGroup>& from, const std::vector<WorkerGroup>& to) {
  int sum = 0;
  for (std::size_t i = 0; i < to.size(); ++i)
    sum += std::max(0, to[i].workers - (i < from.size() ? from[i].workers : 0));
  return sum;
}

// Compares with every way of giving the wanted groups to equal ones.
TEST(ContinuedPlan, MovesAsFewWorkersAsCanBe) {
  RandomStream random(1, "moves");
  for (int round = 0; round < 300; ++round) {
    const auto draw = [&] {
      std::vector<WorkerGroup> groups(1 + random.below(5));
      for (WorkerGroup& group : groups)
        group = {1 + static_cast<int>(random.below(6)), {static_cast<ModuleId>(random.below(2))}};
      return groups;
    };
    const Plan current = plan_with(draw());
    const std::vector<WorkerGroup> wanted = draw();
    const Plan plan = continued_plan(current, plan_with(wanted));
    ASSERT_TRUE(follows(current, plan));
    int sum = 0;
    for (const WorkerGroup& group : plan.groups) sum += group.workers;
    int least = std::accumulate(wanted.begin(), wanted.end(), 0,
                                [](int all, const WorkerGroup& group) { return all + group.workers; });
    EXPECT_EQ(sum, least);
    const auto visit = [&](const auto& self, std::size_t i, int moved, std::vector<bool>& taken) -> void {
      if (moved >= least) return;
      if (i == wanted.size()) {
        least = moved;
        return;
      }
      self(self, i + 1, moved + wanted[i].workers, taken);  // a new one
      for (std::size_t slot = 0; slot < current.groups.size(); ++slot) {
        if (taken[slot] || !is_same_group(current.groups[slot], wanted[i])) continue;
        taken[slot] = true;
        self(self, i + 1, moved + std::max(0, wanted[i].workers - current.groups[slot].workers), taken);
        taken[slot] = false;
      }
    };
    std::vector<bool> taken(current.groups.size(), false);
    visit(visit, 0, 0, taken);
    EXPECT_EQ(moves(current.groups, plan.groups), least) << "round " << round;
  }
}

}  // namespace
}  // namespace harness

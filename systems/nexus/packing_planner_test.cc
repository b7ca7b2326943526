#include "systems/nexus/packing_planner.h"

#include <gtest/gtest.h>

#include "systems/nexus/test_independent_models.h"

namespace harness {
namespace {

Plan planned(const SideBySideWorld& world, const NexusParams& params, const LoadStatistics& load) {
  return make_packing_planner(world.context, params)->plan(0, load, {});
}

/// The rates that the streams of the worked example promise.
LoadStatistics example_load() { return {288, {224, 32, 32}, {}}; }

TEST(PackingPlanner, MakesAGroupOfEachNodeOfTheWorkedExample) {
  const SideBySideWorld world(nexus_example_profiles(), nexus_example_streams(), 3);
  const Plan plan = planned(world, without_margins(), example_load());
  ASSERT_EQ(plan.groups.size(), 3U);
  EXPECT_EQ(plan.groups[0].modules, std::vector<ModuleId>{0});
  EXPECT_EQ(plan.groups[0].max_batches, std::vector<int>{16});
  EXPECT_EQ(plan.groups[0].cycle_ns, 100 * kMs);
  EXPECT_EQ(plan.groups[1].modules, (std::vector<ModuleId>{0, 1})) << "B shares the node of A's residue";
  EXPECT_EQ(plan.groups[1].max_batches, (std::vector<int>{8, 4}));
  EXPECT_EQ(plan.groups[1].cycle_ns, 125 * kMs);
  EXPECT_EQ(plan.groups[2].modules, std::vector<ModuleId>{2}) << "C does not fit there";
  EXPECT_EQ(plan.groups[2].max_batches, std::vector<int>{4});
  for (const WorkerGroup& group : plan.groups) EXPECT_EQ(group.workers, 1);
  EXPECT_EQ(plan.modules[0].workers, 2);
  EXPECT_EQ(plan.modules[0].max_batch, 16);
  EXPECT_EQ(plan.modules[0].exec_ns, 100 * kMs);
  EXPECT_EQ(plan.modules[1].workers, 1);
  EXPECT_EQ(plan.modules[1].max_batch, 4);
  EXPECT_EQ(plan.modules[2].workers, 1);
}

TEST(PackingPlanner, MarginsMakeBatchesSmaller) {
  // 2 x 115 ms is more than 198 ms: A saturates a node with 8 in 86.25 ms (92.8/s). B's 4 and C's 4 in 57.5
  // and 69 ms.
  const SideBySideWorld world(nexus_example_profiles(),
                              {{0, 200 * kMs, 0}, {1, 250 * kMs, 0}, {2, 250 * kMs, 0}}, 8);
  const Plan plan = planned(world, {}, {0, {92, 0, 0}, {}});
  ASSERT_EQ(plan.groups.size(), 1U);
  EXPECT_EQ(plan.groups[0].max_batches, std::vector<int>{8});
  EXPECT_EQ(plan.modules[0].exec_ns, 75 * kMs) << "the true latency";
  EXPECT_EQ(plan.modules[1].workers, 0) << "no requests, no node";
  EXPECT_EQ(plan.modules[1].max_batch, 1);
}

TEST(PackingPlanner, ProvisionsForThePeakSecondIfItIsKnown) {
  const SideBySideWorld world(nexus_example_profiles(), nexus_example_streams(), 20);
  LoadStatistics load = example_load();
  load.peak_rps = {480, 0, 0};
  const Plan plan = planned(world, without_margins(), load);
  ASSERT_EQ(plan.groups.size(), 3U) << "3 x 160/s";
  for (const WorkerGroup& group : plan.groups) EXPECT_EQ(group.max_batches, std::vector<int>{16});
}

TEST(PackingPlanner, SharesTheOfferedRateEquallyIfNothingElseIsKnown) {
  const SideBySideWorld world(nexus_example_profiles(),
                              {{0, 200 * kMs, 0}, {0, 300 * kMs, 0}, {1, 250 * kMs, 0}}, 20);
  const NexusParams params = without_margins();
  const std::vector<Profile> profiles = nexus_example_profiles();
  const std::vector<Session> sessions = sessions_of(world.context, {90, {}, {}}, profiles, params);
  ASSERT_EQ(sessions.size(), 3U);
  EXPECT_DOUBLE_EQ(sessions[0].rate_rps, 60);
  EXPECT_DOUBLE_EQ(sessions[1].rate_rps, 30);
  EXPECT_EQ(sessions[2].rate_rps, 0);
  EXPECT_EQ(sessions[0].slo_ns, 200 * kMs) << "the shortest of its streams";
}

TEST(PackingPlanner, NeedsNoMoreWorkersThanThereAre) {
  for (int workers = 1; workers <= 4; ++workers) {
    const SideBySideWorld world(nexus_example_profiles(), nexus_example_streams(), workers);
    LoadStatistics load = example_load();
    for (double& rate : load.module_rps) rate *= 10;
    const Plan plan = planned(world, without_margins(), load);
    EXPECT_EQ(plan.groups.size(), static_cast<std::size_t>(workers));
  }
}

TEST(PackingPlanner, NoBatchIsLargerThanTold) {
  const SideBySideWorld world(nexus_example_profiles(), nexus_example_streams(), 20);
  NexusParams params = without_margins();
  params.max_batch = 8;
  const Plan plan = planned(world, params, example_load());
  for (const ModulePlan& module : plan.modules) EXPECT_LE(module.max_batch, 8);
}

TEST(PackingPlanner, PlansOnlyModelsThatSendNothingOn) {
  const SideBySideWorld world(nexus_example_profiles(), nexus_example_streams(), 3);
  EXPECT_TRUE(has_independent_models(world.context));
  const TestWorld chain({linear_profile(1, 1, 2), linear_profile(1, 1, 2)}, 100 * kMs, 2);
  EXPECT_FALSE(has_independent_models(chain.context));
  const TestWorld alone({linear_profile(1, 1, 2)}, 100 * kMs, 2);
  EXPECT_FALSE(has_independent_models(alone.context));
}

}  // namespace
}  // namespace harness

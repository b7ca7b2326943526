#include "harness/serving/placed_planner.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "harness/core/input_error.h"
#include "harness/serving/planner_params.h"
#include "harness/serving/sizing_planner.h"

namespace harness {
namespace {

Pipeline models() {
  Pipeline pipeline;
  pipeline.independent = true;
  for (const char* name : {"a", "b", "c"}) pipeline.modules.emplace_back().name = name;
  return pipeline;
}

std::string refused(const std::string& placement, int workers = 3) {
  try {
    placed_groups(models(), workers, placement, {"x.toml", 7, "planner.placement"});
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(PlacedGroups, HaveAWorkerEachAndItsModulesInOrder) {
  const std::vector<WorkerGroup> expected = {{1, {0, 1}}, {1, {1}}, {1, {0, 1}}};
  EXPECT_EQ(placed_groups(models(), 3, " b a,b,\n a  b"), expected);
}

TEST(PlacedGroups, AreRefusedWithWhatIsAllowed) {
  EXPECT_EQ(refused("a,other"),
            "x.toml:7: planner.placement: found unknown module 'other'; allowed: a, b, c");
  EXPECT_EQ(refused("a,b b"),
            "x.toml:7: planner.placement: found b twice on worker 1; allowed: each module once");
  EXPECT_EQ(refused("a,,b"),
            "x.toml:7: planner.placement: found nothing for worker 1; allowed: one or several of a, b, c");
  EXPECT_EQ(refused("a,b,c,a"),
            "x.toml:7: planner.placement: found 4 workers; allowed: at most the 3 of cluster.workers");
}

TEST(PlacedPlanner, PlansTheGroupsOnceWithFixedBatchesOrTheLargest) {
  const Pipeline pipeline = models();
  Profile profile;
  for (int batch = 1; batch <= 4; ++batch) profile.latency_ns.push_back(10 * batch);
  ServingContext context;
  context.pipeline = &pipeline;
  context.profiles = {&profile, &profile, &profile};
  context.workers = 2;
  context.slo_ns = 100;
  context.streams = {{0, 100, 1}, {1, 100, 1}, {2, 100, 1}};
  PlannerParams params;
  params.placement = "a b,b";
  params.max_batch = 3;
  const std::unique_ptr<Planner> planner = make_sizing_planner(context, params, {{2, 0, 0}, {}, {}});
  const Plan plan = planner->plan(0, {}, {});
  EXPECT_EQ(plan.groups, placed_groups(pipeline, 2, "a b,b"));
  const std::vector<ModulePlan> expected = {{1, 2, 20, 100}, {2, 3, 30, 100}, {0, 3, 30, 100}};
  EXPECT_EQ(plan.modules, expected);  // c is on no worker
  EXPECT_EQ(planner->plan(5, {}, plan), plan);
}

}  // namespace
}  // namespace harness

#include "systems/pard/start_estimates.h"

#include <gtest/gtest.h>

#include "harness/core/test_time.h"
#include "systems/pard/downstream_estimate.h"
#include "systems/pard/pard_test_world.h"

namespace harness {
namespace {

TEST(StartEstimates, AreThoseOfThePlanForEachModule) {
  PardTestWorld world({7 * kMs, 20 * kMs, 30 * kMs}, chain_of(3));
  StartEstimates starts;
  for (const TimeNs exec : {20 * kMs, 40 * kMs, 20 * kMs}) {
    world.plan.modules[1].exec_ns = exec;
    for (const ModuleId module : {ModuleId{0}, ModuleId{1}, ModuleId{0}, ModuleId{2}}) {
      DownstreamEstimate own(world.context, module, {});
      own.on_plan(world.plan);
      EXPECT_EQ(starts.downstream_ns(world.context, module, {}, world.plan), own.compute(0).downstream_ns);
    }
  }
}

// There is one sign that the value is not computed again: with another seed, which one cell does not have, no
// draws follow.
TEST(StartEstimates, AreMadeOnceForEachPlan) {
  PardTestWorld world({7 * kMs, 20 * kMs, 30 * kMs}, chain_of(3));
  StartEstimates starts;
  const double first = starts.downstream_ns(world.context, 0, {}, world.plan);
  world.context.seed = 2;
  EXPECT_EQ(starts.downstream_ns(world.context, 0, {}, world.plan), first);
  EXPECT_NE(StartEstimates().downstream_ns(world.context, 0, {}, world.plan), first);
}

}  // namespace
}  // namespace harness

#include "harness/serving/common_plans.h"

#include <gtest/gtest.h>

#include <vector>

#include "harness/core/error.h"

namespace harness {
namespace {

Profile profile_of(int max_batch, Service service = Service::kBatch) {
  Profile profile;
  for (int batch = 1; batch <= max_batch; ++batch) profile.latency_ns.push_back(10 + batch);
  profile.service = service;
  return profile;
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
  EXPECT_EQ(plan.modules[0].batch_cap, 16);
  EXPECT_EQ(plan.modules[0].exec_ns, 26);
  EXPECT_EQ(plan.modules[1].workers, 7);
  EXPECT_EQ(plan.modules[1].batch_cap, 4);
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

}  // namespace
}  // namespace harness

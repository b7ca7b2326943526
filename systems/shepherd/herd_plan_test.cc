#include "systems/shepherd/herd_plan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <vector>

#include "systems/shepherd/test_herd_cases.h"
#include "systems/shepherd/test_herd_check.h"

namespace harness {
namespace {

constexpr std::int64_t kGigabyte = 1'000'000'000;

// Models of 4 GB on GPUs of 9 GB: two to a group. n is 4, 3, 2, 1.
HerdInput four_models() {
  HerdInput input;
  input.gpus = 12;
  input.gpu_bytes = 9 * kGigabyte;
  input.params.group_worker_limit = 0;
  input.params.spread = false;
  for (const double need : {1.0, 4.0, 2.0, 3.0})
    input.models.push_back(
        {"n" + std::to_string(static_cast<int>(need)), 10 * need, 10, 1, 5, 4 * kGigabyte});
  return input;
}

// {4, 3} and {2, 1}: sizes s and 12 - s, best at 8 / 4 = 4 / 2. Any other pairing has 4 and 3 as largest
// needs.
TEST(Herd, SolvesAnExampleByHand) {
  const HerdPlan plan = plan_herd(four_models());
  ASSERT_EQ(plan.status, HerdStatus::kOptimal);
  EXPECT_EQ(plan.min_burst_tolerance, 2);
  EXPECT_EQ(plan.bound, 2);
  EXPECT_EQ(plan.gap, 0);
  ASSERT_EQ(plan.groups.size(), 2U);
  EXPECT_EQ(plan.groups[0].gpus, 8);
  EXPECT_EQ(plan.groups[0].models, (std::vector<int>{1, 3}));
  EXPECT_EQ(plan.groups[1].gpus, 4);
  EXPECT_EQ(plan.groups[1].models, (std::vector<int>{0, 2}));
}

TEST(Herd, KeepsTheGroupWorkerLimit) {
  HerdInput input = four_models();
  input.params.group_worker_limit = 6;
  const HerdPlan plan = plan_herd(input);
  EXPECT_EQ(plan.min_burst_tolerance, 1.5);  // 6 / 4
  EXPECT_TRUE(herd_violations(input, plan).empty());
}

// n = 4 apart from the others by alpha: groups {4}, {3, 2}, {1} or {3, 1}, {2} or {3}, {2, 1}; the first
// has the lowest largest needs 4, 3, 1: 12 GPUs as 6, 4, 2 give min(1.5, 1.33, 2).
TEST(Herd, KeepsAffinitySetsApart) {
  HerdInput input = four_models();
  input.models[1].alpha_ms = 100;
  input.params.affinity_limit = 2;
  const HerdPlan plan = plan_herd(input);
  EXPECT_EQ(plan.affinity_sets, 2);
  EXPECT_EQ(plan.groups.size(), 3U);
  EXPECT_EQ(plan.min_burst_tolerance, 4.0 / 3);
  EXPECT_TRUE(herd_violations(input, plan).empty());
}

void expect_infeasible(const HerdPlan& plan, std::initializer_list<const char*> words) {
  EXPECT_EQ(plan.status, HerdStatus::kInfeasible);
  EXPECT_TRUE(plan.groups.empty());
  for (const char* word : words) EXPECT_NE(plan.reason.find(word), std::string::npos) << plan.reason;
}

TEST(Herd, SaysInWordsWhyThereIsNoPlan) {
  HerdInput large = four_models();
  large.models[2].bytes = 9 * kGigabyte;
  expect_infeasible(plan_herd(large), {"n2 fits in no group", "9000 MB", "8000 MB", "herd_reserved_mb"});

  HerdInput few = four_models();
  few.params.max_groups = 1;
  expect_infeasible(plan_herd(few), {"memory and affinity", "at least 2 groups, of 1 allowed"});

  HerdInput slow = four_models();
  slow.models[0].goodput_rps = 0;
  expect_infeasible(plan_herd(slow), {"n1", "no goodput"});
  slow.models[0].rate_rps = 0;  // nobody asks for it
  EXPECT_EQ(plan_herd(slow).status, HerdStatus::kOptimal);

  // Volume would do for two groups; only an integer program can tell that 3 + 3 + 3 and 4 + 4 + 4 are not
  // halves.
  HerdInput tight = four_models();
  tight.models.clear();
  for (const std::int64_t size : {3, 3, 3, 4, 4, 4})
    tight.models.push_back({"", 10, 10, 1, 5, size * kGigabyte});
  tight.gpu_bytes = 11 * kGigabyte + kGigabyte / 2;  // 10.5 for models, 21 in all
  tight.params.max_groups = 2;
  HerdPlan plan = plan_herd(tight);
  expect_infeasible(plan, {"no packing", "at most 2 groups"});
  EXPECT_GT(plan.programs, 0);
  tight.params.exact_models = 0;
  plan = plan_herd(tight);
  EXPECT_EQ(plan.status, HerdStatus::kNoPlan);
  EXPECT_FALSE(plan.reason.empty());
}

// Table 5's largest case: how much memory can be set aside decides whether ten groups do (README.md).
TEST(Herd, SaysHowManyGroupsMemoryNeeds) {
  HerdInput input;
  input.gpus = 1000;
  input.gpu_bytes = std::int64_t{16} << 30;
  input.params.max_groups = 10;
  input.params.group_worker_limit = 100;
  for (std::size_t i = 0; i < 1000; ++i) input.models.push_back(table4_model(i));
  input.params.reserved_mb = 1200;
  EXPECT_EQ(plan_herd(input).status, HerdStatus::kOptimal);
  input.params.reserved_mb = 2000;
  expect_infeasible(plan_herd(input), {"at least 11 groups, of 10 allowed"});
}

// Eq. 2 alone is content with everything in one group; sharing the load keeps the tolerance.
TEST(Herd, SharesTheLoadWithoutLosingTolerance) {
  HerdInput input;
  input.gpus = 48;
  input.gpu_bytes = 16 * kGigabyte;
  for (std::size_t i = 0; i < 17; ++i) {
    input.models.push_back(table4_model(i));
    input.models.back().rate_rps = 1.5;  // n = 1.5 each, 25.5 in all
  }
  input.params.spread = false;
  const HerdPlan packed = plan_herd(input);
  EXPECT_EQ(packed.groups.size(), 1U);
  input.params.spread = true;
  const HerdPlan spread = plan_herd(input);
  EXPECT_EQ(spread.groups.size(), 4U);
  EXPECT_EQ(spread.min_burst_tolerance, packed.min_burst_tolerance);
  for (const HerdGroup& group : spread.groups) {
    EXPECT_EQ(group.gpus, 12);
    EXPECT_LE(group.models.size(), 5U);
  }
  EXPECT_TRUE(herd_violations(input, packed).empty());
  EXPECT_TRUE(herd_violations(input, spread).empty());
}

// Fewer models than groups: their streams as several model-streams each (section 7.1: 13 models, 400 GPUs).
// All needs are alike, so that Eq. 2 leaves what does not make up a group of 12: 4 GPUs.
TEST(Herd, SplitsModelsOverMoreGroupsThanThereAreModels) {
  HerdInput input;
  input.gpus = 400;
  input.gpu_bytes = 16 * kGigabyte;
  for (std::size_t i = 0; i < 13; ++i) {
    input.models.push_back(table4_model(i));
    input.models.back().rate_rps = 15;
  }
  input.params.shares = 34;
  HerdPlan plan = plan_herd(input);
  ASSERT_EQ(plan.status, HerdStatus::kOptimal);
  EXPECT_EQ(plan.min_burst_tolerance, 12 / (15.0 / 34));
  EXPECT_EQ(plan.groups.size(), 33U);
  for (const HerdGroup& group : plan.groups) EXPECT_EQ(group.gpus, 12);
  EXPECT_TRUE(herd_violations(input, plan).empty());
  // A model that needs a third of the others' finds room there.
  input.models[12].rate_rps = 5;
  plan = plan_herd(input);
  ASSERT_EQ(plan.groups.size(), 34U);
  EXPECT_EQ(plan.groups[33].gpus, 4);
  EXPECT_EQ(plan.groups[33].models, std::vector<int>{12});
  EXPECT_TRUE(herd_violations(input, plan).empty());
}

TEST(Herd, AggregatesStreamsByModel) {
  const std::vector<HerdStream> streams = {{0, 1.5}, {2, 2}, {0, 0.25}, {2, 1}};
  EXPECT_EQ(aggregate_rates(3, streams), (std::vector<double>{1.75, 0, 3}));
}

TEST(Herd, ServesModelsThatNobodyAsksFor) {
  HerdInput input = four_models();
  for (HerdModel& model : input.models) model.rate_rps = 0;
  const HerdPlan plan = plan_herd(input);
  EXPECT_EQ(plan.status, HerdStatus::kOptimal);
  EXPECT_TRUE(std::isinf(plan.min_burst_tolerance));
  EXPECT_TRUE(herd_violations(input, plan).empty());
}

// Table 5's largest case: within a hundredth of the bound (README.md).
TEST(Herd, IsNearTheBoundForAThousandModels) {
  for (const int limit : {12, 100, 0}) {
    HerdInput input;
    input.gpus = 1000;
    input.gpu_bytes = std::int64_t{16} << 30;
    input.params.group_worker_limit = limit;
    input.params.max_groups = limit == 12 ? 0 : 10;
    RandomStream random(5, "thousand");
    for (std::size_t i = 0; i < 1000; ++i) {
      input.models.push_back(table4_model(i));
      input.models.back().goodput_rps = table4_goodput_rps(input.models.back());
      input.models.back().rate_rps = 5 + 20 * random.uniform();
    }
    const HerdPlan plan = plan_herd(input);
    ASSERT_FALSE(plan.groups.empty()) << plan.reason;
    EXPECT_TRUE(herd_violations(input, plan).empty());
    EXPECT_LE(plan.gap, 0.01) << "group-worker limit " << limit;
  }
}

// Table 5's last row: a million streams, 1,000 models and GPUs, ten groups; bench/herd_bench.cc has the time.
TEST(Herd, PlansAMillionStreams) {
  Table5Case made = table5(1000);
  made.input.params.group_worker_limit = 100;
  made.input.params.max_groups = 10;
  const std::vector<double> rates = aggregate_rates(1000, made.streams);
  for (std::size_t i = 0; i < rates.size(); ++i) made.input.models[i].rate_rps = rates[i];
  const HerdPlan plan = plan_herd(made.input);
  EXPECT_EQ(plan.status, HerdStatus::kOptimal);
  EXPECT_EQ(plan.groups.size(), 10U);
  EXPECT_TRUE(herd_violations(made.input, plan).empty());
}

}  // namespace
}  // namespace harness

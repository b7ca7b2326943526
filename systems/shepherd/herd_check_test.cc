// The checker refuses what is wrong with a plan, and names the constraint.
#include "systems/shepherd/test_herd_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "systems/shepherd/test_herd_cases.h"

namespace harness {
namespace {

// Four models in two groups of two, sizes 4 and 2: bt 4 / 2 and 2 / 1.
struct Example {
  Example() {
    input.gpus = 6;
    input.gpu_bytes = 10'000'000'000;
    input.params.group_worker_limit = 4;
    input.params.max_groups = 2;
    input.params.reserved_mb = 2000;
    input.params.affinity_limit = 2;
    const std::int64_t bytes = 4'000'000'000;
    input.models = {{"a", 20, 10, 1, 5, bytes},
                    {"b", 10, 10, 1, 5, bytes},
                    {"c", 10, 10, 9, 5, bytes},
                    {"d", 5, 10, 9, 5, bytes}};
    plan.status = HerdStatus::kOptimal;
    plan.groups = {{4, {0, 1}, {1, 1}}, {2, {2, 3}, {1, 1}}};
    plan.min_burst_tolerance = 2;
    plan.bound = 2;
  }
  HerdInput input;
  HerdPlan plan;
};

TEST(HerdCheck, AcceptsAPlan) {
  const Example example;
  EXPECT_TRUE(herd_violations(example.input, example.plan).empty());
}

struct Fault {
  const char* begins;
  std::function<void(Example&)> make;
};

TEST(HerdCheck, RefusesEveryFaultByItsName) {
  const std::vector<Fault> faults = {
      {"(a)", [](Example& e) { e.input.gpus = 5; }},
      {"(a)",
       [](Example& e) {
         e.plan.groups[1].gpus = 3;
         e.input.models[2].rate_rps = 15;
       }},
      {"(a)", [](Example& e) { e.plan.groups[1].gpus = 0; }},
      {"(b)", [](Example& e) { e.input.params.group_worker_limit = 3; }},
      {"number of groups", [](Example& e) { e.input.params.max_groups = 1; }},
      {"(c)", [](Example& e) { e.input.params.reserved_mb = 2001; }},
      {"(c)", [](Example& e) { e.input.models[3].bytes += 10; }},
      {"(d)",
       [](Example& e) {
         e.plan.groups[1].models.pop_back();
         e.plan.groups[1].shares.pop_back();
       }},
      {"(d)", [](Example& e) { e.plan.groups[1].models[1] = 2; }},
      {"(d)", [](Example& e) { e.plan.groups[1].shares[1] = 2; }},
      {"(d)", [](Example& e) { e.input.params.shares = 2; }},
      {"(e)", [](Example& e) { e.input.models[1].alpha_ms = 9; }},
      {"(e)", [](Example& e) { std::swap(e.plan.groups[0].models[1], e.plan.groups[1].models[1]); }},
      {"value", [](Example& e) { e.plan.min_burst_tolerance = 1.9; }},
      {"value", [](Example& e) { e.input.models[0].rate_rps = 21; }},
      {"bound", [](Example& e) { e.plan.bound = 1.5; }},
      {"gap", [](Example& e) { e.plan.bound = 2.5; }},
      {"gap",
       [](Example& e) {
         e.plan.bound = 2.5;
         e.plan.gap = 0.2;
       }},
      {"gap", [](Example& e) { e.plan.status = HerdStatus::kFeasible; }},
      {"form", [](Example& e) { e.plan.groups[0].models[0] = 4; }},
      {"form", [](Example& e) { e.plan.groups[0].shares.pop_back(); }},
      {"form", [](Example& e) { e.plan.groups[0].shares[0] = 0; }},
  };
  for (std::size_t i = 0; i < faults.size(); ++i) {
    Example example;
    faults[i].make(example);
    const std::vector<std::string> found = herd_violations(example.input, example.plan);
    ASSERT_FALSE(found.empty()) << "fault " << i << " " << faults[i].begins;
    bool named = false;
    for (const std::string& line : found) named = named || line.rfind(faults[i].begins, 0) == 0;
    EXPECT_TRUE(named) << "fault " << i << ": " << found.front() << " instead of " << faults[i].begins;
  }
}

// Any model of a real plan moved, left out or doubled, and any group grown or shrunk, is noticed.
TEST(HerdCheck, RefusesMutationsOfPlans) {
  int mutated = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    HerdInput input = random_herd_input(seed, 12, 20);
    input.params.max_groups = 0;
    input.params.group_worker_limit = 5;
    const HerdPlan plan = plan_herd(input);
    if (plan.groups.size() < 2) continue;
    for (std::size_t g = 0; g < plan.groups.size(); ++g) {
      HerdPlan without = plan;
      without.groups[g].models.erase(without.groups[g].models.begin());
      without.groups[g].shares.erase(without.groups[g].shares.begin());
      EXPECT_FALSE(herd_violations(input, without).empty()) << "case " << seed;
      HerdPlan doubled = plan;
      HerdGroup& next = doubled.groups[(g + 1) % plan.groups.size()];
      next.models.push_back(plan.groups[g].models.front());
      next.shares.push_back(1);
      EXPECT_FALSE(herd_violations(input, doubled).empty()) << "case " << seed;
      HerdPlan grown = plan;
      grown.groups[g].gpus += input.gpus;
      EXPECT_FALSE(herd_violations(input, grown).empty()) << "case " << seed;
      ++mutated;
    }
    HerdPlan better = plan;
    better.min_burst_tolerance = std::isinf(plan.min_burst_tolerance) ? 1 : plan.min_burst_tolerance * 1.01;
    better.bound = better.min_burst_tolerance;
    EXPECT_FALSE(herd_violations(input, better).empty()) << "case " << seed;
  }
  EXPECT_GT(mutated, 300);
}

}  // namespace
}  // namespace harness

// HERD against every plan of small cases, and its promises on larger ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "systems/shepherd/find_packing.h"
#include "systems/shepherd/herd_affinity.h"
#include "systems/shepherd/herd_packing.h"
#include "systems/shepherd/test_herd_cases.h"
#include "systems/shepherd/test_herd_check.h"
#include "systems/shepherd/test_herd_literal.h"

namespace harness {
namespace {

// Every assignment of models to groups, every size of every group; knows nothing of packings.
class Enumeration {
 public:
  explicit Enumeration(const HerdInput& input)
      : input_(input),
        sets_(affinity_sets(input.models, input.params.affinity_limit)),
        groups_(input.params.max_groups > 0 ? input.params.max_groups
                                            : static_cast<int>(input.models.size())),
        group_of_(input.models.size(), 0),
        sizes_(static_cast<std::size_t>(groups_), 0) {}

  std::optional<double> best() {
    assign(0);
    return best_;
  }

 private:
  void assign(std::size_t model) {
    if (model == group_of_.size()) {
      if (allowed()) size(0, input_.gpus);
      return;
    }
    for (int group = 0; group < groups_; ++group) {
      group_of_[model] = group;
      assign(model + 1);
    }
  }

  bool allowed() const {
    for (int group = 0; group < groups_; ++group) {
      std::int64_t bytes = 0;
      int set = -1;
      for (std::size_t i = 0; i < group_of_.size(); ++i) {
        if (group_of_[i] != group) continue;
        bytes += input_.models[i].bytes;
        if (set >= 0 && set != sets_[i]) return false;
        set = sets_[i];
      }
      if (bytes > input_.gpu_bytes) return false;
    }
    return true;
  }

  void size(std::size_t group, int left) {
    if (group == sizes_.size()) return measure();
    const bool used = std::count(group_of_.begin(), group_of_.end(), static_cast<int>(group)) > 0;
    const int limit = input_.params.group_worker_limit > 0 ? input_.params.group_worker_limit : input_.gpus;
    for (int gpus = used ? 1 : 0; gpus <= (used ? std::min(left, limit) : 0); ++gpus) {
      sizes_[group] = gpus;
      size(group + 1, left - gpus);
    }
  }

  void measure() {
    double smallest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < group_of_.size(); ++i) {
      const HerdModel& model = input_.models[i];
      if (model.rate_rps <= 0) continue;
      const double need = model.rate_rps / model.goodput_rps;
      smallest = std::min(smallest, sizes_[static_cast<std::size_t>(group_of_[i])] / need);
    }
    best_ = std::max(best_.value_or(0), smallest);
  }

  const HerdInput& input_;
  std::vector<int> sets_;
  int groups_;
  std::vector<int> group_of_;
  std::vector<int> sizes_;
  std::optional<double> best_;
};

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

TEST(Herd, EqualsBruteForceOnSmallCases) {
  int feasible = 0, infeasible = 0, programs = 0;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    const int models = 1 + static_cast<int>(seed % 5);
    const int gpus = 1 + static_cast<int>(seed / 5 % 6);
    const HerdInput input = random_herd_input(seed, models, gpus);
    const std::optional<double> best = Enumeration(input).best();
    const HerdPlan plan = plan_herd(input);
    programs += plan.programs;
    if (!best) {
      ++infeasible;
      ASSERT_EQ(plan.status, HerdStatus::kInfeasible) << "case " << seed;
      EXPECT_FALSE(plan.reason.empty());
      EXPECT_TRUE(plan.groups.empty());
      continue;
    }
    ++feasible;
    ASSERT_EQ(plan.status, HerdStatus::kOptimal) << "case " << seed << ": " << plan.reason;
    EXPECT_EQ(plan.min_burst_tolerance, *best) << "case " << seed;
    EXPECT_EQ(plan.bound, *best) << "case " << seed;
    EXPECT_EQ(joined(herd_violations(input, plan)), "") << "case " << seed;
  }
  EXPECT_GT(feasible, 300);
  EXPECT_GT(infeasible, 300);
  EXPECT_GT(programs, 0);
}

// Rules alone, integer programs off: the bound still holds.
TEST(Herd, BoundsHoldWithoutIntegerPrograms) {
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    HerdInput input =
        random_herd_input(seed, 1 + static_cast<int>(seed % 5), 1 + static_cast<int>(seed / 5 % 6));
    input.params.exact_models = 0;
    const std::optional<double> best = Enumeration(input).best();
    const HerdPlan plan = plan_herd(input);
    EXPECT_EQ(plan.nodes, 0);
    if (plan.status == HerdStatus::kInfeasible) {
      EXPECT_FALSE(best.has_value()) << "case " << seed;
      continue;
    }
    if (!best) {
      EXPECT_EQ(plan.status, HerdStatus::kNoPlan) << "case " << seed;
      continue;
    }
    EXPECT_GE(plan.bound, *best) << "case " << seed;
    if (plan.status == HerdStatus::kNoPlan) continue;
    EXPECT_LE(plan.min_burst_tolerance, *best) << "case " << seed;
    EXPECT_EQ(joined(herd_violations(input, plan)), "") << "case " << seed;
  }
}

// Sizes about a third of the memory, so that packing by rules is often not enough: the integer programs
// alone, at every value that the tolerance can have.
TEST(Herd, IntegerProgramsAnswerAsBruteForceDoes) {
  int found = 0, none = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    RandomStream stream(seed, "exact");
    HerdInput input;
    input.gpus = 6;
    input.gpu_bytes = 1000;
    input.params.reserved_mb = 0;
    input.params.group_worker_limit = seed % 2 == 0 ? 0 : 4;
    input.params.max_groups = 3;
    std::vector<HerdItem> items;
    for (int i = 0; i < 6; ++i) {
      HerdItem item{i, 0.25 * static_cast<double>(1 + stream.below(10)),
                    200 + static_cast<std::int64_t>(stream.below(250)),
                    static_cast<int>(stream.below(5) / 4)};
      // Affinity-sets 0 and 1 by alpha.
      const double alpha_ms = item.set == 0 ? 1 : 1000;
      input.models.push_back({"", item.need, 1, alpha_ms, 1, item.bytes});
      items.push_back(item);
    }
    std::sort(items.begin(), items.end(),
              [](const HerdItem& a, const HerdItem& b) { return a.need > b.need; });
    input.params.affinity_limit = 2;
    const double best = Enumeration(input).best().value_or(-1);
    const GroupLimits limits{6, seed % 2 == 0 ? 6 : 4, 3, 1000};
    std::vector<double> tolerances = tolerances_between(items, limits.group_gpus, 0, 1e9);
    tolerances.insert(tolerances.begin(), 0);
    for (const double tolerance : tolerances) {
      const ExactResult result = find_packing(items, limits, tolerance, -1);
      ASSERT_EQ(result.answer == ExactAnswer::kFound, tolerance <= best)
          << "case " << seed << " at " << tolerance;
      ASSERT_NE(result.answer, ExactAnswer::kOpen) << "case " << seed << " at " << tolerance;
      ++(result.answer == ExactAnswer::kFound ? found : none);
    }
  }
  EXPECT_GT(found, 500);
  EXPECT_GT(none, 500);
}

// Cases that are too large to enumerate, compared with the literal program of Eq. 2.
TEST(Herd, EqualsTheLiteralProgram) {
  int feasible = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    HerdInput input = random_herd_input(seed, 6 + static_cast<int>(seed % 3), 9);
    for (HerdModel& model : input.models) model.rate_rps = std::max(model.rate_rps, 0.5);
    input.params.max_groups = 3;
    for (HerdModel& model : input.models) model.bytes /= 1 + static_cast<std::int64_t>(seed % 2);
    const MilpSolution literal = solve(literal_program(input, 3), {});
    const HerdPlan plan = plan_herd(input);
    if (literal.status == MilpStatus::kInfeasible) {
      EXPECT_EQ(plan.status, HerdStatus::kInfeasible) << "case " << seed;
      continue;
    }
    ASSERT_EQ(literal.status, MilpStatus::kOptimal) << "case " << seed;
    ASSERT_EQ(plan.status, HerdStatus::kOptimal) << "case " << seed;
    EXPECT_NEAR(plan.min_burst_tolerance, literal.objective, 1e-5 * literal.objective) << "case " << seed;
    ++feasible;
  }
  EXPECT_GT(feasible, 20);
}

HerdInput middling(std::uint64_t seed, int gpus) {
  HerdInput input = random_herd_input(seed, 8 + static_cast<int>(seed % 60), gpus);
  for (HerdModel& model : input.models) model.bytes /= 4;
  input.params.max_groups = 0;
  input.params.group_worker_limit = seed % 3 == 0 ? 0 : 12;
  input.params.shares = seed % 4 == 0 ? 3 : 1;
  input.params.exact_models = 20;
  input.params.max_nodes = 200;
  return input;
}

TEST(Herd, PlansOfMiddlingCasesPassTheChecker) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const HerdInput input = middling(seed, 40 + static_cast<int>(seed % 50));
    const HerdPlan plan = plan_herd(input);
    ASSERT_TRUE(plan.status == HerdStatus::kOptimal || plan.status == HerdStatus::kFeasible)
        << "case " << seed << ": " << plan.reason;
    EXPECT_EQ(joined(herd_violations(input, plan)), "") << "case " << seed;
  }
}

TEST(Herd, MoreGpusAreNeverWorse) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    double value = 0, bound = 0;
    for (const int gpus : {30, 31, 33, 40, 60, 100}) {
      const HerdPlan plan = plan_herd(middling(seed, gpus));
      EXPECT_GE(plan.min_burst_tolerance, value) << "case " << seed << " with " << gpus;
      EXPECT_GE(plan.bound, bound) << "case " << seed << " with " << gpus;
      value = plan.min_burst_tolerance;
      bound = plan.bound;
    }
  }
}

TEST(Herd, RepeatsItself) {
  const HerdInput input = middling(7, 70);
  const HerdPlan one = plan_herd(input);
  const HerdPlan two = plan_herd(input);
  ASSERT_EQ(one.groups.size(), two.groups.size());
  for (std::size_t g = 0; g < one.groups.size(); ++g) {
    EXPECT_EQ(one.groups[g].gpus, two.groups[g].gpus);
    EXPECT_EQ(one.groups[g].models, two.groups[g].models);
    EXPECT_EQ(one.groups[g].shares, two.groups[g].shares);
  }
  EXPECT_EQ(one.bound, two.bound);
  EXPECT_EQ(one.nodes, two.nodes);
}

}  // namespace
}  // namespace harness

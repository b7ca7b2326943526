// The solver against every point of small programs.
#include <gtest/gtest.h>

#include "harness/serving/test_random_program.h"

namespace harness {
namespace {

constexpr std::uint64_t kPrograms = 2000;

TEST(Milp, FindsTheOptimumOfEveryRandomProgramOrProvesThatThereIsNone) {
  int feasible = 0;
  for (std::uint64_t seed = 0; seed < kPrograms; ++seed) {
    const Milp problem = random_program(seed);
    const std::optional<double> best = best_by_enumeration(problem);
    const MilpSolution solution = solve(problem, {});
    if (!best) {
      EXPECT_EQ(solution.status, MilpStatus::kInfeasible) << "program " << seed;
      EXPECT_TRUE(solution.values.empty());
      continue;
    }
    ++feasible;
    ASSERT_EQ(solution.status, MilpStatus::kOptimal) << "program " << seed;
    EXPECT_NEAR(solution.objective, *best, 1e-9) << "program " << seed;
    EXPECT_NEAR(solution.bound, *best, 1e-9) << "program " << seed;
    EXPECT_EQ(problem.violation(solution.values), 0) << "program " << seed;
  }
  EXPECT_GT(feasible, 400);
  EXPECT_GT(static_cast<int>(kPrograms) - feasible, 400);
}

// Solutions that differ by 2e-6 or more, in programs whose objectives are quarters of 8e-6.
TEST(Milp, FindsTheOptimumAmongNearlyEqualSolutions) {
  for (std::uint64_t seed = 0; seed < kPrograms / 2; ++seed) {
    const Milp source = random_program(seed);
    Milp problem;
    for (const Milp::Column& column : source.columns())
      problem.add_variable(column.lower, column.upper, 8e-6 * column.objective, true);
    for (const Milp::Row& row : source.row_list()) problem.add_row(row.lower, row.upper, row.terms);
    const std::optional<double> best = best_by_enumeration(problem);
    if (!best) continue;
    EXPECT_NEAR(solve(problem, {}).objective, *best, 1e-9) << "program " << seed;
  }
}

// Every second variable that can be 0 is.
TEST(Milp, SolvesThePartOfAProgramThatIsNotZero) {
  int feasible = 0;
  for (std::uint64_t seed = 0; seed < kPrograms / 2; ++seed) {
    const Milp problem = random_program(seed);
    std::vector<bool> used;
    for (const Milp::Column& column : problem.columns())
      used.push_back(used.size() % 2 == 0 || column.lower > 0 || column.upper < 0);
    std::optional<double> best;
    each_point(problem, [&](const std::vector<double>& point) {
      for (std::size_t i = 0; i < point.size(); ++i)
        if (!used[i] && point[i] != 0) return;
      if (problem.violation(point) == 0)
        best = std::max(best.value_or(-kMilpInfinity), problem.objective(point));
    });
    const MilpSolution solution = solve_part(problem, {}, used);
    ASSERT_EQ(solution.status, best ? MilpStatus::kOptimal : MilpStatus::kInfeasible) << "program " << seed;
    if (!best) continue;
    ++feasible;
    EXPECT_NEAR(problem.objective(solution.values), *best, 1e-9) << "program " << seed;
    EXPECT_EQ(problem.violation(solution.values), 0) << "program " << seed;
  }
  EXPECT_GT(feasible, 100);
}

TEST(Milp, BoundsHoldWhereALimitStopsIt) {
  for (std::uint64_t seed = 0; seed < kPrograms / 4; ++seed) {
    const Milp problem = random_program(seed);
    const std::optional<double> best = best_by_enumeration(problem);
    for (const MilpLimits& limits : {MilpLimits{.max_nodes = 0}, MilpLimits{.max_nodes = 1},
                                     MilpLimits{.relative_gap = 0.05}, MilpLimits{.relative_gap = 0.5}}) {
      const MilpSolution solution = solve(problem, limits);
      if (!best) {
        EXPECT_TRUE(solution.values.empty()) << "program " << seed;
        continue;
      }
      ASSERT_NE(solution.status, MilpStatus::kInfeasible) << "program " << seed;
      EXPECT_GE(solution.bound, *best - 1e-9)
          << "program " << seed << " nodes " << limits.max_nodes << " gap " << limits.relative_gap;
      if (solution.values.empty()) continue;
      EXPECT_EQ(problem.violation(solution.values), 0) << "program " << seed;
      EXPECT_LE(solution.objective, *best + 1e-9) << "program " << seed;
      if (solution.status != MilpStatus::kOptimal) continue;
      EXPECT_LE(solution.bound - solution.objective,
                limits.relative_gap * std::abs(solution.bound) + kMilpTolerance)
          << "program " << seed;
    }
  }
}

TEST(Milp, StartsFromAnySolutionAndIsNeverWorse) {
  for (std::uint64_t seed = 0; seed < kPrograms; ++seed) {
    const Milp problem = random_program(seed);
    const std::optional<double> best = best_by_enumeration(problem);
    if (!best) continue;
    std::vector<double> first;  // the first point found
    each_point(problem, [&](const std::vector<double>& point) {
      if (first.empty() && problem.violation(point) == 0) first = point;
    });
    const MilpSolution solution = solve(problem, {}, first);
    ASSERT_EQ(solution.status, MilpStatus::kOptimal) << "program " << seed;
    EXPECT_NEAR(solution.objective, *best, 1e-9) << "program " << seed;
    const MilpSolution stopped = solve(problem, {.max_nodes = 0}, first);
    ASSERT_FALSE(stopped.values.empty()) << "program " << seed;
    EXPECT_GE(stopped.objective, problem.objective(first)) << "program " << seed;
    EXPECT_GE(stopped.bound, *best - 1e-9) << "program " << seed;
  }
}

// With one more variable y, continuous in [0, 1], in one more row: for given integers the best y follows from
// that row alone.
TEST(Milp, MixesContinuousAndIntegerVariables) {
  int feasible = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Milp problem = random_program(seed);
    std::optional<double> best;
    const double reward = 1 + static_cast<double>(seed % 7) / 3;
    // y <= 0.3 + x0 / 7, 0 <= y <= 1
    each_point(problem, [&](const std::vector<double>& point) {
      const double y = std::min(1.0, 0.3 + point[0] / 7);
      if (problem.violation(point) > 0 || y < 0) return;
      best = std::max(best.value_or(-kMilpInfinity), problem.objective(point) + reward * y);
    });
    const int y = problem.add_variable(0, 1, reward, false);
    problem.add_row(-kMilpInfinity, 0.3, std::vector<MilpTerm>{{y, 1}, {0, -1.0 / 7}});
    const MilpSolution solution = solve(problem, {});
    ASSERT_EQ(solution.status, best ? MilpStatus::kOptimal : MilpStatus::kInfeasible) << "program " << seed;
    if (!best) continue;
    ++feasible;
    EXPECT_NEAR(solution.objective, *best, 1e-6) << "program " << seed;
  }
  EXPECT_GT(feasible, 100);
}

}  // namespace
}  // namespace harness

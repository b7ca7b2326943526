#include "harness/serving/milp.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace harness {
namespace {

using Terms = std::vector<MilpTerm>;

// max x + y, x <= 2.5 continuous, y <= 3 whole, x + y <= 4.2: y = 3, x = 1.2; in whole numbers x = 1.
TEST(Milp, SolvesAMixedProgramByHand) {
  Milp problem;
  const int x = problem.add_variable(0, 2.5, 1, false);
  const int y = problem.add_variable(0, 3, 1.5, true);
  problem.add_row(-kMilpInfinity, 4.2, Terms{{x, 1}, {y, 1}});
  const MilpSolution solution = solve(problem, {});
  ASSERT_EQ(solution.status, MilpStatus::kOptimal);
  EXPECT_NEAR(solution.values[0], 1.2, 1e-9);
  EXPECT_EQ(solution.values[1], 3);
  EXPECT_NEAR(solution.objective, 5.7, 1e-9);
  EXPECT_EQ(solution.bound, solution.objective);
}

TEST(Milp, SolvesProgramsWithoutIntegers) {
  Milp problem;
  const int x = problem.add_variable(0, kMilpInfinity, 3, false);
  const int y = problem.add_variable(0, kMilpInfinity, 2, false);
  problem.add_row(-kMilpInfinity, 4, Terms{{x, 1}, {y, 1}});
  problem.add_row(-kMilpInfinity, 6, Terms{{x, 1}, {y, 3}});
  problem.add_row(-kMilpInfinity, 3, Terms{{x, 1}});
  const MilpSolution solution = solve(problem, {});
  ASSERT_EQ(solution.status, MilpStatus::kOptimal);
  EXPECT_NEAR(solution.objective, 11, 1e-9);  // at (3, 1)
}

TEST(Milp, SolvesProgramsWithoutRowsOrVariables) {
  Milp empty;
  EXPECT_EQ(solve(empty, {}).status, MilpStatus::kOptimal);
  empty.add_row(1, 2, {});
  EXPECT_EQ(solve(empty, {}).status, MilpStatus::kInfeasible);
  Milp box;
  box.add_variable(-1.5, 2.5, -1, true);
  const MilpSolution solution = solve(box, {});
  ASSERT_EQ(solution.status, MilpStatus::kOptimal);
  EXPECT_EQ(solution.values, std::vector<double>{-1});
}

TEST(Milp, SaysUnboundedOnlyWhereThereIsASolution) {
  for (const bool integer : {true, false}) {
    Milp problem;
    const int x = problem.add_variable(0, kMilpInfinity, 1, integer);
    const int y = problem.add_variable(0, kMilpInfinity, 1, integer);
    problem.add_row(-kMilpInfinity, 1, Terms{{x, 1}, {y, -1}});
    const MilpSolution solution = solve(problem, {});
    EXPECT_EQ(solution.status, MilpStatus::kUnbounded);
    EXPECT_EQ(solution.bound, kMilpInfinity);
    // The relaxation is unbounded along x, but 2 y = 1 has no whole solution.
    problem.add_row(1, 1, Terms{{problem.add_variable(0, 1, 0, integer), 2}});
    EXPECT_EQ(solve(problem, {}).status, integer ? MilpStatus::kInfeasible : MilpStatus::kUnbounded);
  }
}

TEST(Milp, FindsContradictionsInBounds) {
  Milp fraction;
  fraction.add_variable(0.3, 0.7, 1, true);
  EXPECT_EQ(solve(fraction, {}).status, MilpStatus::kInfeasible);
  Milp crossed;
  crossed.add_variable(2, 1, 1, false);
  EXPECT_EQ(solve(crossed, {}).status, MilpStatus::kInfeasible);
  Milp row;
  row.add_variable(0, 1, 1, false);
  row.add_row(2, 1, Terms{{0, 1}});
  EXPECT_EQ(solve(row, {}).status, MilpStatus::kInfeasible);
}

// A knapsack that needs a search: many items of like worth and weight.
Milp knapsack() {
  Milp problem;
  Terms terms;
  for (int i = 0; i < 40; ++i) {
    const double weight = 1000 + (i * 7919) % 997;
    terms.push_back({problem.add_variable(0, 1, weight + 100 + (i * 31) % 17, true), weight});
  }
  problem.add_row(-kMilpInfinity, 20'011, terms);
  problem.add_row(-kMilpInfinity, 7,
                  Terms{{0, 1}, {3, 1}, {6, 1}, {9, 1}, {12, 1}, {15, 1}, {18, 1}, {21, 1}});
  return problem;
}

TEST(Milp, RepeatsItselfToTheBit) {
  const Milp problem = knapsack();
  for (const MilpLimits& limits : {MilpLimits{.max_nodes = 50}, MilpLimits{.max_nodes = 1000}}) {
    const MilpSolution one = solve(problem, limits);
    const MilpSolution two = solve(problem, limits);
    EXPECT_EQ(one.values, two.values);
    EXPECT_EQ(one.nodes, two.nodes);
    EXPECT_EQ(one.bound, two.bound);
    EXPECT_LE(one.nodes, limits.max_nodes + 1);
  }
}

TEST(Milp, GivesTheSameAnswersInSeveralThreads) {
  const MilpSolution alone = solve(knapsack(), {.max_nodes = 200});
  std::vector<MilpSolution> found(4);
  std::vector<std::thread> threads;
  for (MilpSolution& one : found)
    threads.emplace_back([&one] { one = solve(knapsack(), {.max_nodes = 200}); });
  for (std::thread& thread : threads) thread.join();
  for (const MilpSolution& one : found) {
    EXPECT_EQ(one.values, alone.values);
    EXPECT_EQ(one.bound, alone.bound);
    EXPECT_EQ(one.nodes, alone.nodes);
  }
}

TEST(Milp, AStoppedSearchHasAGapAndALongerOneNoWorseOne) {
  const Milp problem = knapsack();
  const MilpSolution one = solve(problem, {.max_nodes = 1});
  const MilpSolution more = solve(problem, {.max_nodes = 2000});
  ASSERT_FALSE(one.values.empty());
  EXPECT_LE(one.objective, more.objective);
  EXPECT_GE(one.bound, more.objective);
  EXPECT_GE(one.bound, more.bound);
}

TEST(Milp, MeasuresViolations) {
  Milp problem;
  const int x = problem.add_variable(0, 1, 2, true);
  const int y = problem.add_variable(-1, 1, -1, false);
  problem.add_row(0.5, 0.75, Terms{{x, 1}, {y, 1}});
  EXPECT_DOUBLE_EQ(problem.violation(std::vector<double>{1, -0.5}), 0);
  EXPECT_DOUBLE_EQ(problem.violation(std::vector<double>{1, -0.75}), 0.25);
  EXPECT_DOUBLE_EQ(problem.violation(std::vector<double>{0.875, -0.25}), 0.125);
  EXPECT_DOUBLE_EQ(problem.violation(std::vector<double>{2, -1.5}), 1);
  EXPECT_DOUBLE_EQ(problem.objective(std::vector<double>{1, -0.5}), 2.5);
}

TEST(MilpDeathTest, RefusesAFirstSolutionThatIsNone) {
  Milp problem;
  problem.add_variable(0, 1, 1, true);
  EXPECT_DEATH(solve(problem, {}, std::vector<double>{2}), "the first solution is not feasible");
}

}  // namespace
}  // namespace harness

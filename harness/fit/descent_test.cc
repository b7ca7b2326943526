#include "harness/fit/descent.h"
#include "harness/fit/first_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace harness {
namespace {

Knob knob(const std::string& name, int values, bool is_scale = true) {
  Knob made;
  made.name = name;
  made.is_scale = is_scale;
  for (int i = 0; i < values; ++i) made.values.push_back({std::to_string(i), {}});
  return made;
}

/// Returns a plan with three scales of 5, 4 and 110 values, a choice of 2, and a scale of 3 that counts only
/// with the second value of the choice.
FitPlan plan_of(std::size_t points, std::size_t moves = 0) {
  FitPlan plan;
  plan.points = points;
  plan.best = 3;
  plan.moves = moves;
  plan.round = 7;
  plan.knobs = {knob("a", 5), knob("b", 4), knob("c", 110), knob("choice", 2, false), knob("inner", 3)};
  plan.knobs[4].when = {{"choice", "1"}};
  plan.knobs[0].standard = 2;
  return plan;
}

TEST(SpaceFilling, EachValueComesEquallyOften) {
  const FitPlan plan = plan_of(221);
  const std::vector<FitPoint> points = space_filling(plan);
  EXPECT_EQ(points[0], (FitPoint{2, 0, 0, 0, 0}));
  ASSERT_GT(points.size(), 200u);
  const auto twice = static_cast<double>(221 - points.size());  // points that differ in nothing that counts
  EXPECT_EQ(std::set<FitPoint>(points.begin(), points.end()).size(), points.size());
  for (std::size_t knob = 0; knob < 3; ++knob) {
    std::map<std::size_t, double> counts;
    for (std::size_t i = 1; i < points.size(); ++i) ++counts[points[i][knob]];
    const auto values = static_cast<double>(plan.knobs[knob].values.size());
    ASSERT_EQ(static_cast<double>(counts.size()), values);
    for (const auto& [value, count] : counts) {
      EXPECT_LE(count, 220 / values);
      EXPECT_GE(count, 220 / values - twice);
    }
  }
  for (const FitPoint& point : points) {
    EXPECT_TRUE(point[3] == 1 || point[4] == 0);
  }
  EXPECT_EQ(space_filling(plan), points);
}

// 4 + 3 + 109 + 1 other values; the inner knob has no effect at the standard point.
TEST(FirstPoints, EveryStepFromTheStandardPoint) {
  FitPlan plan = plan_of(0);
  plan.only_steps = true;
  const std::vector<FitPoint> points = first_points(plan);
  EXPECT_EQ(points.size(), 1u + 4 + 3 + 109 + 1);
  EXPECT_EQ(points[0], standard_point(plan));
  for (std::size_t i = 1; i < points.size(); ++i) {
    std::size_t changed = 0;
    for (std::size_t knob = 0; knob < points[i].size(); ++knob) changed += points[i][knob] != points[0][knob];
    EXPECT_EQ(changed, 1u);
  }
}

TEST(BestOf, TheLargestFirstThenTheEarlier) {
  EXPECT_EQ(best_of({1, 3, 2, 3}, 3), (std::vector<std::size_t>{1, 3, 2}));
  EXPECT_EQ(best_of({1}, 3), std::vector<std::size_t>{0});
}

/// The score is minus the steps to an optimum: a descent must reach it, as no knob depends on another.
TEST(Descent, FindsTheOptimumAlongSingleKnobs) {
  const FitPlan plan = plan_of(20, 400);
  const FitPoint optimum = {4, 0, 30, 1, 2};
  const auto score = [&](const FitPoint& point) {
    double sum = 0;
    for (std::size_t i = 0; i < point.size(); ++i)
      sum -= std::abs(static_cast<double>(point[i]) - static_cast<double>(optimum[i]));
    return sum;
  };
  std::vector<FitPoint> tried = space_filling(plan);
  std::vector<double> scores;
  for (const FitPoint& point : tried) scores.push_back(score(point));
  Descent descent(plan);
  std::size_t made = 0;
  for (;;) {
    const std::vector<FitPoint> next = descent.next(tried, scores);
    if (next.empty()) break;
    EXPECT_LE(next.size(), 7u);
    made += next.size();
    for (const FitPoint& point : next) {
      EXPECT_EQ(std::count(tried.begin(), tried.end(), point), 0);
      tried.push_back(point);
      scores.push_back(score(point));
    }
  }
  EXPECT_LE(made, 400u);
  EXPECT_EQ(tried[best_of(scores, 1)[0]], optimum);
}

TEST(Descent, MakesNoMoreThanItsMoves) {
  const FitPlan plan = plan_of(20, 10);
  std::vector<FitPoint> tried = space_filling(plan);
  std::vector<double> scores(tried.size(), 0);
  Descent descent(plan);
  const std::vector<FitPoint> first = descent.next(tried, scores);
  EXPECT_EQ(first.size(), 7u);
  tried.insert(tried.end(), first.begin(), first.end());
  scores.resize(tried.size());
  const std::vector<FitPoint> second = descent.next(tried, scores);
  EXPECT_EQ(second.size(), 3u);
  tried.insert(tried.end(), second.begin(), second.end());
  scores.resize(tried.size());
  EXPECT_TRUE(descent.next(tried, scores).empty());
}

}  // namespace
}  // namespace harness

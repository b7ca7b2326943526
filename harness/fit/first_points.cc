#include "harness/fit/first_points.h"

#include <numeric>
#include <set>
#include <utility>

#include "harness/core/random_stream.h"
#include "harness/fit/shuffle.h"

namespace harness {

FitPoint effective(const FitPlan& plan, FitPoint point) {
  FitPoint made = point;
  for (std::size_t knob = 0; knob < plan.knobs.size(); ++knob) {
    if (!is_active(plan, knob, point)) made[knob] = plan.knobs[knob].standard;
  }
  return made;
}

std::vector<FitPoint> space_filling(const FitPlan& plan) {
  const std::size_t count = plan.points - 1;
  std::vector<FitPoint> design(count, FitPoint(plan.knobs.size()));
  for (std::size_t knob = 0; knob < plan.knobs.size(); ++knob) {
    RandomStream random(plan.seed, "fit_design", knob);
    std::vector<std::size_t> order(plan.knobs[knob].values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    shuffle(order, random);  // which values come once more
    std::vector<std::size_t> column(count);
    for (std::size_t i = 0; i < count; ++i) column[i] = order[i % order.size()];
    shuffle(column, random);
    for (std::size_t i = 0; i < count; ++i) design[i][knob] = column[i];
  }
  std::vector<FitPoint> points = {standard_point(plan)};
  std::set<FitPoint> seen = {effective(plan, points[0])};
  for (FitPoint& point : design) {
    FitPoint made = effective(plan, std::move(point));
    if (seen.insert(made).second) points.push_back(std::move(made));
  }
  return points;
}

std::vector<FitPoint> first_points(const FitPlan& plan) {
  if (!plan.only_steps) return space_filling(plan);
  const FitPoint standard = standard_point(plan);
  std::vector<FitPoint> points = {standard};
  for (std::size_t knob = 0; knob < plan.knobs.size(); ++knob) {
    for (std::size_t value = 0; value < plan.knobs[knob].values.size(); ++value) {
      FitPoint step = standard;
      step[knob] = value;
      if (value != standard[knob] && is_active(plan, knob, standard)) points.push_back(step);
    }
  }
  return points;
}

}  // namespace harness

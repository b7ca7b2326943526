#include "harness/fit/descent.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "harness/fit/first_points.h"
#include "harness/fit/shuffle.h"

namespace harness {

std::vector<std::size_t> best_of(const std::vector<double>& scores, std::size_t count) {
  std::vector<std::size_t> places(scores.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::ranges::stable_sort(places, [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  places.resize(std::min(count, places.size()));
  return places;
}

std::vector<FitPoint> Descent::steps_from(const FitPoint& point) const {
  std::vector<FitPoint> steps;
  for (std::size_t knob = 0; knob < plan_.knobs.size(); ++knob) {
    if (!is_active(plan_, knob, point)) continue;
    for (std::size_t value = 0; value < plan_.knobs[knob].values.size(); ++value) {
      const std::size_t far = value > point[knob] ? value - point[knob] : point[knob] - value;
      if (far == 0 || (plan_.knobs[knob].is_scale && far > 1)) continue;
      FitPoint step = point;
      step[knob] = value;
      steps.push_back(effective(plan_, std::move(step)));
    }
  }
  return steps;
}

std::vector<FitPoint> Descent::next(const std::vector<FitPoint>& tried, const std::vector<double>& scores) {
  std::set<FitPoint> seen(tried.begin(), tried.end());
  const std::size_t wanted = std::min(plan_.round, plan_.moves - std::min(plan_.moves, made_));
  std::vector<std::vector<FitPoint>> steps;
  for (const std::size_t place : best_of(scores, plan_.best)) {
    steps.push_back(steps_from(tried[place]));
    shuffle(steps.back(), random_);
  }
  std::vector<FitPoint> points;
  for (bool any = true; any && points.size() < wanted;) {
    any = false;
    for (std::vector<FitPoint>& of_one : steps) {
      while (!of_one.empty() && !seen.insert(of_one.back()).second) of_one.pop_back();
      if (of_one.empty() || points.size() == wanted) continue;
      points.push_back(std::move(of_one.back()));
      of_one.pop_back();
      any = true;
    }
  }
  made_ += points.size();
  return points;
}

}  // namespace harness

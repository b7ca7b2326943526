// Chooses the settings that a fit tries: a space-filling design, then a descent along one knob at a time.
#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include "harness/core/random.h"
#include "harness/fit/fit_plan.h"

namespace harness {

/// Returns the point with the standard value in every knob that has no effect there: this is what runs.
FitPoint effective(const FitPlan& plan, FitPoint point);

/// Returns the points of the first stage: space_filling() or, if there is no search, the standard point and,
/// for each knob, each other value of it.
std::vector<FitPoint> first_points(const FitPlan& plan);

/// Returns the standard point, then a Latin hypercube (McKay et al., 1979): over all its points the values of
/// a knob come equally often, or some of them once more. No effective point comes twice, so there may be
/// fewer.
std::vector<FitPoint> space_filling(const FitPlan& plan);

/// A descent in rounds: each of the best points tries steps along single knobs, drawn without repetition; a
/// step to a better point takes its place. A step is to the next value of a scale, else to any other value.
class Descent {
 public:
  explicit Descent(const FitPlan& plan) : plan_(plan), random_(plan.seed, "fit_descent") {}

  /// Returns the points of the next round, all untried; empty if plan.moves have been made or no step is
  /// left. `scores` has the scores of all points tried so far, in order; the larger the better.
  std::vector<FitPoint> next(const std::vector<FitPoint>& tried, const std::vector<double>& scores);

 private:
  std::vector<FitPoint> steps_from(const FitPoint& point) const;

  const FitPlan& plan_;
  RandomStream random_;
  std::size_t made_ = 0;
};

/// Returns the indices of the `count` largest scores, the largest first; among equal scores the earlier
/// first.
std::vector<std::size_t> best_of(const std::vector<double>& scores, std::size_t count);

}  // namespace harness

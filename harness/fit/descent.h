// The later rounds of a fit's search: a descent along one knob at a time.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/core/random_stream.h"
#include "harness/fit/fit_plan.h"

namespace harness {

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

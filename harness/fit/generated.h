// The experiments of a fit: each base once, with the settings of many points as its axis `setting`.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/fit/fit_plan.h"

namespace harness {

/// A point and its number among all of the fit.
struct NumberedPoint {
  std::size_t number = 0;
  FitPoint point;
};

/// Returns the name of a point's [[setting]], such as "p0017".
std::string setting_name(std::size_t number);

/// Returns an experiment: the base's file with what the plan, the base and the points set. Returns "" if the
/// base runs none of the points. Leaves out a sweep of a key that a knob sets. Throws InputError.
std::string experiment_text(const FitPlan& plan, const FitBase& base, std::span<const NumberedPoint> points,
                            bool confirms);

/// Throws InputError for a base without a file, and for a knob's key or value that no experiment may have.
void check_experiments(const FitPlan& plan);

/// Returns the name by which claims know the base's results at a point.
std::string results_name(const FitPlan& plan, const FitBase& base, const FitPoint& point);

}  // namespace harness

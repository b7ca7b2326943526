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

/// The name of its [[setting]]: "p0017".
std::string setting_name(std::size_t number);

/// The base's file with what the plan, the base and the points set: an experiment. Empty where the base has
/// no point. A sweep of a key that a knob sets is left out. Throws InputError.
std::string experiment_text(const FitPlan& plan, const FitBase& base, std::span<const NumberedPoint> points,
                            bool confirms);

/// Throws InputError for a base without a file, and for a knob's key or value that no experiment may have.
void check_experiments(const FitPlan& plan);

/// The name by which claims know the base's results at a point.
std::string results_name(const FitPlan& plan, const FitBase& base, const FitPoint& point);

}  // namespace harness

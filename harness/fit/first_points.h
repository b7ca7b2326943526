// The first stage of a fit's search: a space-filling design, or single steps from the standard point.
#pragma once

#include <vector>

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

}  // namespace harness

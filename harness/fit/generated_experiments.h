// Writes the experiments of a fit: one for each base, with a [[setting]] for each of many points.
#pragma once

#include <span>
#include <string>

#include "harness/fit/fit_plan.h"

namespace harness {

/// Returns the name of a point's [[setting]], such as "p0017".
std::string setting_name(std::size_t number);

/// Returns the text of an experiment: the base's file, changed as the world and the base say, with a
/// [[setting]] for each point at which the base runs; "" if there is no such point. Leaves out sweeps of keys
/// that the settings set, and the world's keys of traces that the base does not replay. Throws InputError.
std::string experiment_text(const FitPlan& plan, const FitBase& base, std::span<const NumberedPoint> points,
                            const FitWorld& world);

/// Throws InputError if the file of a base cannot be opened, or if no experiment may have what a knob sets.
void check_experiments(const FitPlan& plan);

/// Throws InputError if no base runs in a world, if a world sets a key of a trace that none of them replays,
/// or if a knob sets one that no base replays in any world.
void check_worlds(const FitPlan& plan);

}  // namespace harness

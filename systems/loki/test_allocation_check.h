// Checks that a plan keeps every constraint of Loki's section 4.1, from the paths that it lists alone. None
// of the code that makes plans is used here.
#pragma once

#include <string>
#include <vector>

#include "systems/loki/allocation.h"
#include "systems/loki/allocation_problem.h"

namespace harness {

/// Share by which loads, shares and accuracies may be off (rounding; the solver's tolerances are wider).
inline constexpr double kAllocationTolerance = 1e-9;

/// Returns the constraints that `plan` breaks, one line each, with the constraint's number; empty if it
/// breaks no constraint. The plan is held to the demand that it says it carries.
std::vector<std::string> check_allocation(const AllocationProblem& problem, const Allocation& plan);

}  // namespace harness

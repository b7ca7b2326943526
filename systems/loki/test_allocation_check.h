// Whether a plan keeps every constraint of Loki's section 4.1, from the paths that it lists alone: nothing of
// what makes plans is used here.
#pragma once

#include <string>
#include <vector>

#include "systems/loki/allocation.h"

namespace harness {

/// Loads, shares and accuracies may be off by this part of them (rounding; the solver's tolerances are
/// wider).
inline constexpr double kAllocationTolerance = 1e-9;

/// What `plan` breaks, one line each, with the constraint's number; empty: nothing. It is held to the demand
/// that it says it carries.
std::vector<std::string> check_allocation(const AllocationProblem& problem, const Allocation& plan);

}  // namespace harness

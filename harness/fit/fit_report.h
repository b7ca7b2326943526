// The result of a fit as text for people.
#pragma once

#include <string>
#include <vector>

#include "harness/fit/fit_plan.h"
#include "harness/fit/scoring.h"
#include "harness/record/hdf5/fit_file.h"

namespace harness {

/// Returns the best setting beside the standard one, in the search and in the confirmation, and the claims
/// that no setting reaches; or, if there is no search, a line per step. results/harness_results/fit.py has
/// more.
std::string fit_text(const FitPlan& plan, const std::vector<ScoredClaim>& claims, const FitTables& tables);

}  // namespace harness

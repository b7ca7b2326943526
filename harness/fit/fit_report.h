// The result of a fit as text for people.
#pragma once

#include <string>
#include <vector>

#include "harness/fit/fit_plan.h"
#include "harness/fit/scored_claim.h"
#include "harness/record/hdf5/fit_tables.h"

namespace harness {

/// Returns tables that compare the best setting with the defaults, in the search and in the confirmation,
/// and the claims that score under no setting. If the fit only takes steps (FitPlan::only_steps), returns a
/// line for each step instead. results/harness_results/fit.py shows more.
std::string fit_text(const FitPlan& plan, const std::vector<const Claim*>& claims, const FitTables& tables);

}  // namespace harness

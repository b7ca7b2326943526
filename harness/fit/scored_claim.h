// The claims by which a fit scores a setting.
#pragma once

#include <string>
#include <vector>

#include "harness/claims/claim.h"
#include "harness/fit/fit_plan.h"

namespace harness {

/// Returns the claims of `all_claims`, the file of claims, that the plan names and one of its bases decides,
/// in the file's order; in a search only claims of kind paper. Throws InputError if there are no such claims,
/// for a pattern that fits no claim, for an unknown metric of a base, and for a headline's claim that is not
/// in the file or expects no range of ratios.
std::vector<const Claim*> scored_claims(const FitPlan& plan, const std::vector<Claim>& all_claims);

/// Returns the claim with the id, or null.
const Claim* find_claim(const std::vector<Claim>& all_claims, const std::string& id);

}  // namespace harness

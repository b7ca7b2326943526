// `harness claims --decide`: seeds are added where claims need them.
#pragma once

#include <string>
#include <vector>

#include "harness/claims/claim.h"
#include "harness/decide/claim_results.h"
#include "harness/experiment/running/run_console.h"

namespace harness {

/// True if another look may decide the claim: it is undecided, or no seed of it has been repeated.
bool needs_seeds(const Judgement& judgement);

/// Adds seeds to the experiments of the results, on all MPI ranks if there are several, until each claim is
/// decided or all looks are spent. A look runs what undecided claims need with as many seeds more as there
/// are; its results are in the folder `decide` beside the others, and the same command finishes what was
/// interrupted. Called by all ranks. Throws InputError, EnvironmentError with finished cells kept.
void run_decisions(const std::vector<Claim>& claims, ClaimResults& results, ProgressForm progress);

}  // namespace harness

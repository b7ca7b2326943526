// `harness claims --decide`: seeds are added where claims need them.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/claims/claim.h"
#include "harness/decide/claim_results.h"
#include "harness/experiment/running/run_console.h"

namespace harness {

/// Adds seeds to the experiments of the results, on all MPI ranks if there are several, until each claim is
/// decided or all looks are spent. A look runs what undecided claims need with as many seeds more as there
/// are; its results are in the folder `decide` beside the others, and the same command finishes what was
/// interrupted. Claims without results, and those that seeds cannot decide (they name `seed`; live runs;
/// tables of `trace cv`; files that the experiment names by relative paths), stay as they are; returns the
/// number of the latter. Called by all ranks; the answer of rank 0 counts. `fresh` begins anew. Throws
/// InputError if decisions on other claims or results are kept there, or for results of another build;
/// EnvironmentError with finished cells kept.
std::size_t run_decisions(const std::vector<Claim>& claims, ClaimResults& results, bool fresh,
                          ProgressForm progress);

}  // namespace harness

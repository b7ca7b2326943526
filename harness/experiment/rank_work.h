// A piece of work that all ranks do at once, with one line for whatever fails on any of them.
#pragma once

#include <functional>
#include <string>

#include "harness/experiment/cell_distribution.h"

namespace harness {

/// The program's exit codes.
inline constexpr int kAllWell = 0;
inline constexpr int kVerdictAgainst = 1;
inline constexpr int kBadInput = 2;
inline constexpr int kEnvironment = 3;

/// What ends a rank other than 0 when any rank failed: rank 0 says why.
struct RankStopped {};

/// Every rank does `work`, which sets `value` and, where all ranks must have read the same from `file`,
/// `digest` of its report. Returns rank 0's value on every rank. What `work` throws on any rank, and a digest
/// other than rank 0's, is thrown at rank 0, with the rank's number when it is another; the others throw
/// RankStopped.
int on_all_ranks(CellDistribution& ranks, const std::string& file,
                 const std::function<void(RankReport&)>& work);

}  // namespace harness

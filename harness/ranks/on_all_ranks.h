// A piece of work that all ranks do at once, with one line for whatever fails on any of them.
#pragma once

#include <functional>
#include <string>

#include "harness/ranks/cell_distribution.h"
#include "harness/ranks/rank_report.h"

namespace harness {

/// Thrown on a rank other than 0 if any rank failed: rank 0 says why.
struct RankStopped {};

/// Does `work` on every rank. `work` sets the report's `value` and, if all ranks must have read the same from
/// `file`, its `digest`. Returns rank 0's value on every rank. Rank 0 throws what `work` threw on any rank,
/// or an InputError for a digest other than its own, with the number of the rank if it is another; the others
/// throw RankStopped.
int on_all_ranks(CellDistribution& ranks, const std::string& file,
                 const std::function<void(RankReport&)>& work);

}  // namespace harness

// A piece of work that all ranks do at once, with one line for whatever fails on any of them.
#pragma once

#include <functional>
#include <string>

#include "harness/ranks/cell_distribution.h"
#include "harness/ranks/rank_report.h"

namespace harness {

/// Thrown on a rank other than 0 if any rank failed: rank 0 throws the reason.
struct RankStopped {};

/// Does `work` on every rank, and returns rank 0's value on every rank. `work` sets RankReport::value. If all
/// ranks must read the same, it sets RankReport::digest, too; `file` is named in the message if they do not.
/// If ranks failed, or have another digest than rank 0, rank 0 throws the failure of the first of them: an
/// InputError if `work` threw one, or for its digest, otherwise an EnvironmentError. The message names the
/// rank unless it is rank 0. The other ranks throw RankStopped.
int on_all_ranks(CellDistribution& ranks, const std::string& file,
                 const std::function<void(RankReport&)>& work);

}  // namespace harness

// The variation of the number of requests from window to window (SHEPHERD, Figures 2 and 5).
#pragma once

#include <cstdint>
#include <vector>

#include "harness/core/arrivals.h"

namespace harness {

/// The mean CV of all groups of one size, in windows of one length.
struct StreamCv {
  double window_s = 0;
  std::size_t group = 1;      ///< number of streams in a group
  std::size_t groups = 0;     ///< number of groups with requests in the windows; the others have no CV
  std::uint64_t windows = 0;  ///< number of whole windows in the run
  double mean_cv = 0;         ///< mean of the CVs of these groups
};

/// Returns the coefficient of variation (standard deviation over mean, both over the windows of the run) of
/// the number of requests in a window, averaged over groups of streams. Groups are random: the streams in an
/// order drawn by `seed`, cut into groups of each of `sizes`; streams that are left over are in no group.
/// Windows lie side by side from the beginning; a rest that makes no whole window does not count. A stream
/// that sends once in N windows has a CV of sqrt(N - 1): rare streams show the length of the run.
///
/// The results are in order of the windows, and for each window of the sizes. Makes one pass over the source,
/// which is not moved; each request costs a few ns for every pair of a window and a size. Windows are rounded
/// to nanoseconds, at least one. Throws InputError for a window of which the run does not hold two, and for a
/// size above the number of streams.
std::vector<StreamCv> stream_cvs(const ArrivalSource& source, std::size_t streams,
                                 const std::vector<double>& windows_s, const std::vector<std::size_t>& sizes,
                                 std::uint64_t seed);

}  // namespace harness

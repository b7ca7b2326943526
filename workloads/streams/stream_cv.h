// The variation of the number of requests from window to window (SHEPHERD, Figures 2 and 5).
#pragma once

#include <cstdint>
#include <vector>

#include "harness/core/arrival_source.h"

namespace harness {

/// The mean CV of all groups of one size, in windows of one length.
struct StreamCv {
  double window_s = 0;
  std::size_t group = 1;      ///< number of streams in a group
  std::size_t groups = 0;     ///< number of groups with requests in the windows; the others have no CV
  std::uint64_t windows = 0;  ///< number of whole windows in the run
  double mean_cv = 0;         ///< mean of the CVs of these groups
};

/// Returns the coefficient of variation of the number of requests in a window (standard deviation over mean,
/// both over the windows of the run), averaged over groups of streams. The streams are put in an order drawn
/// by `seed` and cut, for each of `sizes`, into groups of that size; streams left over are in no group. The
/// windows follow one another from the beginning of the run; an incomplete window at its end does not count.
/// A stream that sends once in N windows has a CV of sqrt(N - 1), so rare streams mostly show the length of
/// the run.
///
/// The results are in the order of the windows and, for each window, of the sizes. Reads all arrivals once,
/// from a copy of `source`; each request costs a few ns for every pair of a window and a size. Windows are
/// rounded to whole nanoseconds, at least 1. Throws InputError if the run does not hold two windows of a
/// length, or if a size is 0 or above the number of streams.
std::vector<StreamCv> stream_cvs(const ArrivalSource& source, std::size_t streams,
                                 const std::vector<double>& windows_s, const std::vector<std::size_t>& sizes,
                                 std::uint64_t seed);

}  // namespace harness

// Facts about the load that was made of a recorded trace.
#pragma once

#include <limits>
#include <string>
#include <vector>

namespace harness {

/// Facts that a reader should know of a file's load.
struct LoadFacts {
  /// One line each: first what was read as what, then surprises: an end before duration_s, a peak over mean
  /// more than a tenth off the recorded one.
  std::vector<std::string> remarks;
  /// The highest mean over a whole second (or a bin that is longer) of the replayed window, over the mean of
  /// all of it: as it was recorded, and of the rate at which requests are placed. NaN if no file is replayed,
  /// or if its times are too far apart to be counted in bins.
  double recorded_peak_over_mean = std::numeric_limits<double>::quiet_NaN();
  double sent_peak_over_mean = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace harness

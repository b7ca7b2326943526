// Figures that describe a trace.
#pragma once

#include <cstdint>
#include <vector>

namespace harness {

/// The figures of a series of counts. CV is the standard deviation over the mean. A CV over a time shorter
/// than a bin is over bins.
struct TraceFacts {
  double bin_s = 0;
  std::uint64_t bins = 0;
  double length_s = 0;
  double requests = 0;
  double mean_rps = 0;
  double second_s = 0;  ///< length that counts as a second: the whole bins nearest to it, at least one
  double trend_s = 0;   ///< window of the moving mean of cv_short
  double peak_rps = 0;  ///< highest rate over one second (or one bin, if that is longer)
  double peak_over_mean = 0;
  double cv_second = 0;  ///< CV of the rates of whole seconds
  double cv_minute = 0;  ///< CV of the rates of whole minutes; 0 if there are fewer than two
  /// CV of the rates of seconds after dividing out their centred moving mean over 10 minutes (or 11 bins, if
  /// that is longer).
  double cv_short = 0;
};

/// Returns the figures of counts in bins of bin_s. `counts` must not be empty. `length_s` is the length of a
/// trace that ends within the last bin; 0: it is the bins' length. `trend_s` is the window of cv_short.
TraceFacts facts_of(const std::vector<double>& counts, double bin_s, double length_s = 0,
                    double trend_s = 600);

/// True if the bins make at least two groups of group_s (within 1 %), so that a CV over that time has a
/// meaning.
bool divides_into(const TraceFacts& facts, double group_s);

}  // namespace harness

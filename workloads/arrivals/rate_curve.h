// A rate over time, and the transformations that lead from a recorded trace to the replayed load.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/core/types.h"
#include "workloads/spec/trace_spec.h"

namespace harness {

/// Requests per second, constant within bins of equal length from time 0 on.
struct RateCurve {
  double bin_s = 1;
  std::vector<double> rps;

  double length_s() const { return bin_s * static_cast<double>(rps.size()); }
  bool operator==(const RateCurve&) const = default;
};

/// No curve may have more bins (400 MB).
inline constexpr std::size_t kMaxBins = 50'000'000;

/// `s` in bins; a quotient that rounding put beside a whole number (0.3 / 0.1, 1.1 / 0.1) is that number.
double bins_of(double s, double bin_s);
/// The bin that a time from 0 on lies in: exact for bins of whole nanoseconds, else by bins_of.
std::size_t bin_of(TimeNs time, double bin_s);

/// Centred moving mean over the odd number of bins nearest to window_s / bin_s (at least 1); at the ends over
/// the bins that exist.
RateCurve smoothed(const RateCurve& curve, double window_s);

/// Each bin is cut into `parts`; the rate runs in a straight line from the middle of one bin to the middle of
/// the next and is constant before the first and after the last.
RateCurve interpolated(const RateCurve& curve, int parts);

/// Mean over [0, duration_s), which must not be longer than the curve.
double mean_rps(const RateCurve& curve, double duration_s);
/// The highest mean over a whole second [k, k + 1) within [0, duration_s); the mean when there is none.
double peak_rps(const RateCurve& curve, double duration_s);

/// A curve in replayed time and how much of it is replayed.
struct Replay {
  RateCurve curve;
  double duration_s = 0;
};

/// The steps of TraceSpec from `source` (counts or rates in source time, already sliced) to the target rate;
/// see there. `measured` says that the curve holds counts with counting noise, so that scaling smooths it.
Replay replay_of(const TraceSpec& spec, RateCurve source, bool measured, double target_rps);

/// The part [from_s, to_s) of a curve in whole bins; to_s = 0 is the end. Throws InputError when nothing is
/// left.
RateCurve sliced(const TraceSpec& spec, const RateCurve& source);

// Rate curves in source time for the generated shapes.

/// The rate of shape wiki, tweet or azure over [from_s, from_s + length_s) of source time (in whole bins from
/// the one that holds from_s), in the units of the real file it was fitted to (requests per source second).
/// Any length; a source time has the same rate in any window (within 0.1 %: noise forgets what lies 64 steps
/// back). All randomness comes from `seed`.
///
/// wiki, in hourly bins: the mean by hour of the day, times a factor by day of the week, times log-normal
/// noise of 13 % with a correlation of 0.88 from hour to hour.
///
/// tweet, in bins of 1 s: the mean by hour of the day in straight lines, times the jump after each full hour
/// (+30 % for 2.5 s, +17 % for about 90 s; a third of that after each half hour), times noise of 1.4 % with a
/// correlation of 0.75 from minute to minute.
///
/// azure, in bins of 60 s: the mean by hour of the day in straight lines, times a factor by day of the week,
/// times noise of 5 % from minute to minute.
///
/// The rates carry no counting noise: that comes with the requests.
RateCurve fitted_curve(const std::string& shape, double from_s, double length_s, std::uint64_t seed);

}  // namespace harness

// Rate curves in source time for the generated shapes.
#pragma once

#include <cstdint>

#include "workloads/rate_curve.h"

namespace harness {

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

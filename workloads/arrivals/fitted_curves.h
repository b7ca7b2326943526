// The rate curves of the generated shapes that are fitted to real files, in source time.
#pragma once

#include <cstdint>
#include <string>

#include "workloads/arrivals/rate_curve.h"

namespace harness {

/// Returns the rate of shape wiki, tweet or azure over [from_s, from_s + length_s) of source time (in whole
/// bins from the one that holds from_s), in the units of the real file to which it was fitted (requests per
/// source second). Any length is possible. A source time has the same rate in any window (within 0.1 %: noise
/// forgets the values of more than 64 steps before). All randomness comes from `seed`.
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

// Rate curves in source time for the generated shapes.
#pragma once

#include <cstdint>

#include "workloads/rate_curve.h"

namespace harness {

/// The rate of shape wiki, tweet or azure over [from_s, from_s + length_s) of source time (in whole bins from
/// the one that holds from_s), in the units of the real file it was fitted to (requests per source second).
/// Any length; equal source times give equal rates whatever the window. All randomness comes from `seed`.
///
/// wiki (hourly bins): mean by hour of the day x factor by day of the week x log-normal noise with a
/// correlation of
///   0.88 from hour to hour.
/// tweet (bins of 1 s): mean by hour of the day in straight lines x the jump after each full hour (+45 %
/// for 2.5 s, +17 %
///   for about 90 s; a third of that after each half hour) x noise of 1.4 % correlated over minutes.
/// azure (bins of 60 s): mean by hour of the day in straight lines x factor by day of the week x 4 % noise
/// from minute
///   to minute.
/// The rates carry no counting noise: that comes with the requests.
RateCurve fitted_curve(const std::string& shape, double from_s, double length_s, std::uint64_t seed);

}  // namespace harness

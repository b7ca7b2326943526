// Rates per minute of the traces on which AutoScale was evaluated, for an hour.
#pragma once

#include <string>
#include <vector>

#include "workloads/arrivals/rate_curve.h"

namespace harness {

/// The rate of a shape of autoscale_shape_names() over [from_s, from_s + length_s) of source time, in bins of
/// a minute, after an hour from the first minute on; its peak is AutoScale's, 800 requests/s. The same for
/// every seed. Only how the means relate to the peaks is known of the real ones, and what they are called:
/// the minutes are reconstructed.
RateCurve autoscale_curve(const std::string& shape, double from_s, double length_s);

}  // namespace harness

// Rates per minute of the traces on which AutoScale was evaluated, for an hour.
#pragma once

#include <string>

#include "workloads/arrivals/rate_curve.h"

namespace harness {

/// Returns the rate of a shape of autoscale_shape_names() over [from_s, from_s + length_s) of source time, in
/// bins of a minute. After an hour it starts again from the first minute; its peak is AutoScale's, 800
/// requests/s. It is the same for every seed. Of the real traces only their names and the relation of their
/// means to their peaks are known: the minutes are reconstructed.
RateCurve autoscale_curve(const std::string& shape, double from_s, double length_s);

}  // namespace harness

// The value of a metric that has none.
#pragma once

#include <limits>

namespace harness {

/// A value that does not exist for a cell: null in JSON, empty in CSV, "-" in tables.
inline constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

}  // namespace harness

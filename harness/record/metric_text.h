// Compared metrics as people read them: shares in per cent, their differences in points.
#pragma once

#include <string>

#include "harness/record/compared_metric.h"
#include "harness/record/text_table.h"

namespace harness {

/// "95.2%" for a share, else six significant digits; "" where there is no value.
std::string value_text(const ComparedMetric& metric, double value);
/// "+0.12 pt" for a share, else "+3.5"; without the sign when `is_signed` is not set.
std::string difference_text(const ComparedMetric& metric, double difference, bool is_signed);
/// What ComparedMetric::change says: "+7%" with a relative tolerance, else as difference_text.
std::string change_text(const ComparedMetric& metric, double change);
/// "1 pt", "5%", "20".
std::string tolerance_text(const ComparedMetric& metric);
/// The columns `tolerance` and, for programs, `tolerance_kind`.
void add_tolerance(TextTable& table, const ComparedMetric& metric);

}  // namespace harness

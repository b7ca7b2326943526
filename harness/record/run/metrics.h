// The list of all metrics: each once, with its name, its unit and whether higher or lower is better.
#pragma once

#include <span>
#include <string_view>

#include "harness/record/run/measured_run.h"

namespace harness {

/// The direction in which a metric is better; kNeither for metrics that describe the cell, its plan or its
/// bounds.
enum class Better { kHigher, kLower, kNeither };
/// Returns "higher", "lower" or "neither".
const char* name_of(Better better);

/// The value of a column for a run in which there is nothing to measure. kUsual: a value as in every run,
/// such as a count of 0; kAbsent: no value; kUnbounded: infinite.
enum class OfNothing { kUsual, kAbsent, kUnbounded };
/// Returns "value", "none" or "inf".
const char* name_of(OfNothing rule);

/// A metric: everything that the harness knows of it. The list of all metrics is in metrics.cc; to add one,
/// add an entry there and its line in results/README.md.
struct Metric {
  const char* name;
  const char* unit;  ///< unit; "": a share, a ratio
  Better better;
  double (*value)(const MeasuredRun& run);  ///< computes the value; kNoValue if there is nothing to divide by
  OfNothing unsent = OfNothing::kUsual;     ///< value if no request was sent
  OfNothing uncompleted = OfNothing::kUsual;  ///< value if requests were sent and none was completed
  bool is_share = false;                      ///< true for a part of a whole, in [0, 1]: shown in percent
};
/// Returns all metrics, in the order of their columns.
std::span<const Metric> metrics();
/// Returns the metric of this name; nullptr if there is no such metric.
const Metric* find_metric(std::string_view name);

}  // namespace harness

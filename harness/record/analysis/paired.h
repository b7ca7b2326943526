// Statistics over the seeds of an experiment: the mean of a metric, and its difference from a baseline's
// metric when both are paired by seed. They are computed from rows of /summary.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/record/analysis/text_table.h"
#include "harness/record/run/summary.h"

namespace harness {

/// The mean and spread of the values of independent repetitions. A number that cannot be computed is
/// kNoValue.
struct Spread {
  std::size_t n = 0;             ///< number of values; kNoValue ones do not count
  double mean = kNoValue;        ///< needs 1
  double deviation = kNoValue;   ///< sample standard deviation (n - 1); needs 2
  double half_width = kNoValue;  ///< half of the mean's 95 % confidence interval, by Student's t; needs 2
};
Spread spread_of(std::span<const double> values);

/// Returns the two-sided 95 % quantile of Student's t: P(|T| <= result) = 0.95. `freedom` is at least 1.
double student_t_95(std::size_t freedom);

/// The finished cells of one series on one workload, in order of the rows.
struct SeriesCells {
  std::string name;
  std::vector<const SummaryRow*> rows;  ///< one row per seed; a seed that comes again is left out
};

struct WorkloadCells {
  std::string workload;
  std::vector<SeriesCells> series;  ///< at least one

  const SummaryRow& first() const { return *series.front().rows.front(); }
  /// Returns the series of that name, or null.
  const SeriesCells* find(const std::string& name) const;
};

/// Sorts rows by their columns `workload` and `series`, both in order of their first row. Rows that are not
/// "ok" are left out. The result points into `rows`.
std::vector<WorkloadCells> by_workload(std::span<const SummaryRow> rows);

/// Returns the number in the column; nothing if there is no such column or it holds text.
std::optional<double> number_in(const SummaryRow& row, const std::string& column);
/// Returns the names of the columns that hold numbers, except the columns that identify a cell.
std::vector<std::string> metric_columns();

/// Returns the spread of the metric over the seeds of a series; all kNoValue if the column does not exist.
Spread spread_over_seeds(const SeriesCells& series, const std::string& metric);

/// A series compared with a baseline, over the seeds that both have.
struct PairedSpread {
  Spread difference;  ///< spread of series - baseline
  Spread ratio;       ///< spread of series / baseline, over the seeds in which the baseline is not 0
};
PairedSpread paired_over_seeds(const SeriesCells& series, const SeriesCells& baseline,
                               const std::string& metric);

/// Returns a row per workload and series. It has the metric's mean over the seeds that have a value, with the
/// ends of its 95 % confidence interval (cut to [0, 1] for a share, to 0 and more for a metric that is never
/// negative); the means of its difference to and its ratio to `baseline`, paired by seed; and the mean share
/// of the fluid bound. Each mean has its interval and the number of its values. Differences have no value if
/// a workload lacks the baseline, intervals have none with one seed.
TextTable paired_table(const std::vector<WorkloadCells>& workloads, const std::string& metric,
                       const std::string& baseline);

/// Returns the names of all series, in order of their first row.
std::vector<std::string> series_names(const std::vector<WorkloadCells>& workloads);

}  // namespace harness

// Statistics over the seeds of an experiment: what a metric is, and how far it is from that of a baseline
// when both are paired by seed. Works on rows of /summary.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/record/analysis/text_table.h"
#include "harness/record/run/summary.h"

namespace harness {

/// Values of independent repetitions. Where it has no value, a number is kNoValue.
struct Spread {
  std::size_t n = 0;             ///< values; kNoValue ones do not count
  double mean = kNoValue;        ///< needs 1
  double deviation = kNoValue;   ///< sample standard deviation (n - 1); needs 2
  double half_width = kNoValue;  ///< of the 95 % confidence interval around the mean, by Student's t; needs 2
};
Spread spread_of(std::span<const double> values);

/// Two-sided 95 % quantile of Student's t: P(|T| <= result) = 0.95. `freedom` is at least 1.
double student_t_95(std::size_t freedom);

/// The finished cells of one series on one workload, in order of the rows.
struct SeriesCells {
  std::string name;
  std::vector<const SummaryRow*> rows;  ///< one per seed; a seed that comes again is left out
};

struct WorkloadCells {
  std::string workload;
  std::vector<SeriesCells> series;  ///< at least one

  const SummaryRow& first() const { return *series.front().rows.front(); }
  /// The series of that name, or null.
  const SeriesCells* find(const std::string& name) const;
};

/// Sorts rows by their columns `workload` and `series`, both in order of their first row. Rows that are not
/// "ok" are left out. The result points into `rows`.
std::vector<WorkloadCells> by_workload(std::span<const SummaryRow> rows);

/// The number in the column; no value when there is no such column or it holds text.
std::optional<double> number_in(const SummaryRow& row, const std::string& column);
/// Names of the columns that hold numbers, except those that name a cell.
std::vector<std::string> metric_columns();

/// The metric over the seeds of a series; kNoValue when the column does not exist.
Spread spread_over_seeds(const SeriesCells& series, const std::string& metric);

/// A series against a baseline, over the seeds that both have.
struct PairedSpread {
  Spread difference;  ///< series - baseline
  Spread ratio;       ///< series / baseline, of the seeds in which the baseline is not 0
};
PairedSpread paired_over_seeds(const SeriesCells& series, const SeriesCells& baseline,
                               const std::string& metric);

/// A row per workload and series: the metric's mean over the seeds that have a value, with the ends of its
/// 95 % confidence interval (cut to [0, 1] for a share, to 0 and more for what is never negative), the means
/// of its difference to `baseline` and of its ratio, paired by seed, and of the share of the fluid bound,
/// each with its interval and the number of values that it rests on. No value: differences where a workload
/// lacks the baseline, intervals of one seed.
TextTable paired_table(const std::vector<WorkloadCells>& workloads, const std::string& metric,
                       const std::string& baseline);

/// The names of all series, in order of their first row.
std::vector<std::string> series_names(const std::vector<WorkloadCells>& workloads);

}  // namespace harness

// The comparison of two results files cell by cell: which metrics became worse or better, and by how much.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/record/analysis/cell_pairs.h"
#include "harness/record/analysis/compared_metric.h"
#include "harness/record/analysis/spread.h"

namespace harness {

enum class ChangeVerdict { kSame, kBetter, kRegression };
/// Returns "same", "better" or "regression".
const char* name_of(ChangeVerdict verdict);

struct MetricChange;
struct StatusChange;

/// The result of a comparison.
struct Comparison {
  std::vector<MetricChange> metrics;  ///< changes by series, in order of the base's rows, then by metric
  std::vector<StatusChange> stopped;  ///< cells that ran in the base only: regressions
  std::vector<StatusChange> resumed;  ///< cells that run only now
  std::vector<std::string> problems;  ///< reasons why the files are not comparable, a line each
  /// Settings and devices that differ, with the number of cells: "pard.lambda 0.1, now 0.2 (6 cells)".
  std::vector<std::string> settings;
  std::size_t pairs = 0;                ///< number of pairs of cells
  std::size_t idle = 0;                 ///< number of pairs that did not run in either file
  std::size_t simulated = 0;            ///< number of pairs that ran in virtual time and are comparable
  std::size_t same_fingerprint = 0;     ///< number of these with the same fingerprint
  std::vector<std::string> recomputed;  ///< cells with the same fingerprint whose metrics differ nevertheless

  /// Returns the number of regressions: metrics of series, and cells that no longer run.
  std::size_t regressions() const;
  std::size_t better() const { return count_of(ChangeVerdict::kBetter); }
  /// Returns the number of metrics of series with this verdict.
  std::size_t count_of(ChangeVerdict verdict) const;
};

/// The change of a metric of a series between both files, over the pairs of cells that ran and have a value
/// of it in both.
struct MetricChange {
  std::string series;
  ComparedMetric metric;
  double base = kNoValue, now = kNoValue;  ///< means over the pairs
  Spread difference;                       ///< spread of now - base, pair by pair
  /// ComparedMetric::change() in the cell with the largest worsening. Repeats of a live cell (live.repeat)
  /// are one cell, with their mean.
  double worst = kNoValue;
  std::string worst_cell;           ///< workload of that cell; "" if nothing changed
  std::vector<std::string> lost;    ///< workloads of cells that had a value only in the base
  std::vector<std::string> gained;  ///< workloads of cells that have a value only now
  ChangeVerdict verdict = ChangeVerdict::kSame;
};

/// A cell that ran in one file and was skipped or is invalid in the other.
struct StatusChange {
  CellKey key;
  std::string text;  ///< both statuses: "ok, now invalid (load generator fell behind)"
};

/// Compares the rows of two files. A metric is a regression if it became worse by more than its tolerance in
/// any cell of the series, or lost its value in one. It is better if it is no regression and some cell
/// improved by more than the tolerance. A cell that occurs in one file only, occurs twice in one, or was
/// given another load makes a problem; the other cells are compared nevertheless. Differing settings and
/// devices are listed if the rows have them, and change no verdict. Places in the file and builds do not
/// count.
Comparison compare(std::span<const SummaryRow> base, std::span<const SummaryRow> now,
                   const std::vector<ComparedMetric>& metrics);

}  // namespace harness

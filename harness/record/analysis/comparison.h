// Two results files compared cell by cell: what became worse, what better, and by how much.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "harness/record/analysis/cell_pairs.h"
#include "harness/record/analysis/compared_metric.h"
#include "harness/record/analysis/paired.h"

namespace harness {

// What two cells' effective settings say that differs: why their results may.

/// A text for each setting that both have with another value, by name: "pard.lambda 0.1, now 0.2", or
/// "contents of trace differ: day.csv". Takes the effective settings of cells (CellIdentity::effective_toml).
/// Leaves out what only one has, since an older program did not know it, but for faults and the time limit:
/// "fault 1.kind stop now, none before".
std::vector<std::string> settings_differences(const std::string& base, const std::string& now);
/// Returns the checksum of each file that such settings name: of "trace day.csv", "profiles shepherd-v100".
std::map<std::string, std::string> contents_of(const std::string& effective_toml);

enum class ChangeVerdict { kSame, kBetter, kRegression };
/// "same", "better", "regression".
const char* name_of(ChangeVerdict verdict);

/// A metric of a series in both files, over the pairs of cells that ran and have it in both.
struct MetricChange {
  std::string series;
  ComparedMetric metric;
  double base = kNoValue, now = kNoValue;  ///< means over the pairs
  Spread difference;                       ///< now - base, pair by pair
  double worst = kNoValue;  ///< ComparedMetric::change in the cell where it is most for the worse; repeats
                            ///< of a live cell (live.repeat) are one cell, with their mean
  std::string worst_cell;   ///< its workload; "" where nothing changed
  std::vector<std::string> lost;    ///< workloads of cells whose value is no more
  std::vector<std::string> gained;  ///< workloads of cells that have a value only now
  ChangeVerdict verdict = ChangeVerdict::kSame;
};

/// A cell that ran in one file and was skipped or is invalid in the other.
struct StatusChange {
  CellKey key;
  std::string text;  ///< "ok, now invalid (load generator fell behind)"
};

struct Comparison {
  std::vector<MetricChange> metrics;  ///< by series, in order of the base's rows, then by metric
  std::vector<StatusChange> stopped;  ///< ran in the base only: regressions
  std::vector<StatusChange> resumed;  ///< run now only
  std::vector<std::string> problems;  ///< what makes the files not comparable, a line each
  /// Settings and devices that differ, with the number of cells: "pard.lambda 0.1, now 0.2 (6 cells)".
  std::vector<std::string> settings;
  std::size_t pairs = 0;                ///< of cells
  std::size_t idle = 0;                 ///< of them skipped or invalid in both
  std::size_t simulated = 0;            ///< of them run in virtual time in both files
  std::size_t same_fingerprint = 0;     ///< of those
  std::vector<std::string> recomputed;  ///< cells with the same fingerprint whose metrics differ all the same

  /// Regressions: metrics of series, and cells that no longer run.
  std::size_t regressions() const;
  std::size_t better() const { return count_of(ChangeVerdict::kBetter); }
  std::size_t count_of(ChangeVerdict verdict) const;  ///< metrics of series
};

/// A metric is a regression when it became worse by more than its tolerance in any cell of the series, or
/// lost its value in one. It is better when it is no regression and some cell improved by more than that. A
/// cell that stands in one only, twice in one, or was given another load makes a problem; the other cells are
/// compared all the same. Settings and devices that differ are told, where the rows have them,
/// and change no verdict. Neither places in the file nor builds count.
Comparison compare(std::span<const SummaryRow> base, std::span<const SummaryRow> now,
                   const std::vector<ComparedMetric>& metrics);

}  // namespace harness

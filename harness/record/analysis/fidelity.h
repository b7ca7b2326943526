// The fidelity of the simulation: the simulated cells of one results file against its live cells.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/record/analysis/cell_pairs.h"
#include "harness/record/analysis/compared_metric.h"

namespace harness {

enum class FidelityVerdict { kWithin, kBeyond, kInvalid };
/// Returns "within", "beyond" or "invalid".
const char* name_of(FidelityVerdict verdict);

struct FidelityRow;

/// The judgements of all live cells.
struct Fidelity {
  std::vector<FidelityRow> rows;     ///< rows by live cell, in order of the file, then by metric
  std::vector<std::string> invalid;  ///< cells that are not ok, with the reason
  std::vector<std::string> alone;    ///< cells that have no counterpart in the other runtime
  std::size_t live_alone = 0;        ///< number of live cells among these

  /// Returns the number of rows with this verdict.
  std::size_t count_of(FidelityVerdict verdict) const;
};

/// A metric of one live cell, over its repeats (live.repeat), compared with the simulated cell of the same
/// system, workload, seed and parameters (except live.* and gpu.*), or with a simulation of each repeat.
struct FidelityRow {
  CellKey cell;  ///< key of the live cell, without live.repeat
  ComparedMetric metric;
  std::size_t runs = 0;          ///< number of live runs that have a value and whose simulation has one
  double live = kNoValue;        ///< mean of these runs; without such runs the mean of all live values
  double half_range = kNoValue;  ///< (largest - least) / 2 of live - simulated; needs 2 runs
  double simulated = kNoValue;   ///< mean of their simulations; without such runs the mean of all simulations
  double difference = kNoValue;  ///< live - simulated
  FidelityVerdict verdict = FidelityVerdict::kInvalid;

  /// Returns `amount`, a difference or half-range, in the measure of the tolerance: as a share of the
  /// simulated value if the tolerance is relative.
  double as_change(double amount) const { return metric.change(simulated, simulated + amount); }
};

/// A run of a live cell and its simulation.
struct LivePair {
  SummaryRow live;
  SummaryRow simulated;
};

/// Judges each metric of each live cell. The verdict is "within" if both the difference and the half-range
/// are within the metric's tolerance (a relative one is a share of the simulated value; a single run has no
/// half-range to judge); "invalid" if a repeat or the simulated cell is not ok, or has no value. A cell that
/// ran in neither runtime gets no rows.
Fidelity fidelity_of(std::span<const SummaryRow> rows, const std::vector<ComparedMetric>& metrics);
/// Judges live runs of which each has a simulation of its own.
Fidelity fidelity_of(std::span<const LivePair> pairs, const std::vector<ComparedMetric>& metrics);

}  // namespace harness

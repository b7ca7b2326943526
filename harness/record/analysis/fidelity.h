// How true the simulation is: the simulated and the live cells of one results file against each other.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/record/analysis/cell_pairs.h"
#include "harness/record/analysis/compared_metric.h"

namespace harness {

enum class FidelityVerdict { kWithin, kBeyond, kInvalid };
/// "within", "beyond", "invalid".
const char* name_of(FidelityVerdict verdict);

/// A metric of one live cell, over its repeats (live.repeat), beside the simulated cell of the same system,
/// workload, seed and parameters (those of live.* and gpu.* left out), or beside a simulation of each repeat.
struct FidelityRow {
  CellKey cell;  ///< without live.repeat
  ComparedMetric metric;
  std::size_t runs = 0;          ///< live ones that have a value, as has their simulation
  double live = kNoValue;        ///< their mean; where there are none, of all live values
  double half_range = kNoValue;  ///< (largest - least) / 2 of live - simulated; needs 2 runs
  double simulated = kNoValue;   ///< mean of their simulations; where there are none, of all simulated values
  double difference = kNoValue;  ///< live - simulated
  FidelityVerdict verdict = FidelityVerdict::kInvalid;

  /// `amount`, a difference or half-range, as the tolerance measures it: a share of the simulated value where
  /// that is relative.
  double as_change(double amount) const { return metric.change(simulated, simulated + amount); }
};

struct Fidelity {
  std::vector<FidelityRow> rows;     ///< by live cell, in order of the file, then by metric
  std::vector<std::string> invalid;  ///< cells that are not ok, with why
  std::vector<std::string> alone;    ///< cells that have no counterpart in the other runtime
  std::size_t live_alone = 0;        ///< of them, live ones

  std::size_t count_of(FidelityVerdict verdict) const;
};

/// A live cell's run and what stands beside it.
struct LivePair {
  SummaryRow live;
  SummaryRow simulated;
};

/// "within" when both the difference and the half-range are within the metric's tolerance (a relative one is
/// a share of the simulated value; a single run has no half-range to judge); "invalid" when a repeat or the
/// simulated cell is not ok, or has no value. Where both runtimes skipped a cell there is nothing to say.
Fidelity fidelity_of(std::span<const SummaryRow> rows, const std::vector<ComparedMetric>& metrics);
/// The same of live runs that have a simulation each.
Fidelity fidelity_of(std::span<const LivePair> pairs, const std::vector<ComparedMetric>& metrics);

}  // namespace harness

// The metrics that moved between two results files, workload by workload: `harness diff`. comparison.h judges
// instead.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/record/analysis/comparison.h"

namespace harness {

enum class Movement {
  kWorse,
  kBetter,
  kMoved,  ///< a change of a metric for which neither direction is better
  kOnce,   ///< a difference in a single run, so that noise is not known
  kNoise,  ///< a difference whose 95 % interval holds 0, or that a latency histogram cannot tell from 0
  kEqual,  ///< the same value in every run
};
/// Returns "worse", "better", "moved", "one run", "noise" or "equal".
const char* name_of(Movement movement);

struct Change;

/// The changes from one file to another.
struct Changes {
  Comparison files;  ///< differing settings, cells of one file only, stopped or resumed cells, fingerprints
  std::vector<Change> changes;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;  ///< indices of the paired cells: base, now
  std::size_t count_of(Movement movement) const;
};

/// A metric of a series on a workload, over the runs (seeds, and repeats of a live cell) that both files
/// have.
struct Change {
  std::string series;
  std::string workload;  ///< workload without the seed: "lv tweet load 1 slo 500 ms"
  ComparedMetric metric;
  double base = kNoValue, now = kNoValue;  ///< means over the runs
  Spread difference;                       ///< spread of now - base, run by run
  Movement movement = Movement::kEqual;
};

/// Returns goodput, SLO attainment, invalid rate, latencies at p50 and p99, and accuracy (if models have
/// one). The drop rate is left out: it is the rest of the SLO attainment.
std::vector<ComparedMetric> moved_metrics();

/// Pairs cells as compare() does, and computes their changes even if they had different numbers of workers or
/// requests, which is no fair comparison; Comparison::problems names such cells.
Changes changes_between(std::span<const SummaryRow> base, std::span<const SummaryRow> now,
                        const std::vector<ComparedMetric>& metrics);

/// Returns a text: settings that differ, metrics that moved beyond noise (the largest changes first), metrics
/// that differ in a single run, metrics within the noise, and counts.
std::string changes_text(const Changes& changes);
/// Returns a JSON object with the lists of the text, and `changes` with numbers in full.
std::string changes_json(const Changes& changes);

}  // namespace harness

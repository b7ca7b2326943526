// What moved between two results files, workload by workload: `harness diff`. comparison.h judges instead.
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
  kMoved,  ///< of a metric of which neither way is better
  kOnce,   ///< it differs, and there is one run: noise is not known
  kNoise,  ///< the 95 % interval of the difference holds 0, or a latency histogram cannot tell it from 0
  kEqual,  ///< the same in every run
};
/// "worse", "better", "moved", "one run", "noise", "equal".
const char* name_of(Movement movement);

/// A metric of a series on a workload, over the runs (seeds, and repeats of a live cell) that both files
/// have.
struct Change {
  std::string series;
  std::string workload;  ///< "lv tweet load 1 slo 500 ms", without the seed
  ComparedMetric metric;
  double base = kNoValue, now = kNoValue;  ///< means over the runs
  Spread difference;                       ///< now - base, run by run
  Movement movement = Movement::kEqual;
};

struct Changes {
  Comparison files;  ///< settings, cells that stand in one only, stopped or resumed, fingerprints
  std::vector<Change> changes;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;  ///< indices of the cells: base, now
  std::size_t count_of(Movement movement) const;
};

/// Goodput, SLO attainment, invalid rate, latencies at p50 and p99, and accuracy where models have one. The
/// drop rate is the rest of the SLO attainment.
std::vector<ComparedMetric> moved_metrics();

/// Pairs cells as compare() does, also where another number of workers or requests makes them no fair
/// comparison: Comparison::problems tells so.
Changes changes_between(std::span<const SummaryRow> base, std::span<const SummaryRow> now,
                        const std::vector<ComparedMetric>& metrics);

/// Settings; what moved beyond noise, the largest first; what differs in one run; what is noise; counts.
std::string changes_text(const Changes& changes);
/// An object: the lists of the text, and `changes` with numbers in full.
std::string changes_json(const Changes& changes);

}  // namespace harness

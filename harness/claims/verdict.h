// What the results say about a claim.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "harness/claims/ledger.h"
#include "harness/claims/result_rows.h"

namespace harness {

/// The values of a claim's expression in one group, over the seeds. An expression that itself reduces over
/// `seed` has one value of all of them.
struct GroupResult {
  std::vector<Selector> keys;      ///< the group's value of each key of for_each
  std::vector<double> by_seed;     ///< of the seeds that have a value
  std::vector<std::string> seeds;  ///< which those are; "all"
  double mean = 0;
  double half_width = 0;  ///< of the 95 % interval of the mean (Student's t); NaN with a single seed
  double least = 0;
  double most = 0;
  bool holds = false;         ///< the mean lies in `expect`
  bool within_noise = false;  ///< an end of the interval is on the other side of a limit of `expect`

  /// "lv tweet"; "" without for_each.
  std::string name() const;
};

struct Judgement {
  const Claim* claim = nullptr;
  Verdict verdict = Verdict::kNotRun;
  std::vector<GroupResult> groups;  ///< those that have a value, in the order of the results
  double value = std::numeric_limits<double>::quiet_NaN();  ///< the groups by `combine` (all: their mean)
  double half_width = std::numeric_limits<double>::quiet_NaN();  ///< of `value`, where it is known, else NaN
  std::size_t holding = 0;                                       ///< groups whose mean lies in `expect`
  std::size_t noisy = 0;             ///< groups (for one combined number: 0 or 1) within noise of a limit
  std::vector<std::string> missing;  ///< why groups have no value, or all of it when not run
  bool without_results = false;      ///< not run because a results file is missing

  /// Worse than the verdict that the ledger knows of. What was not run is not.
  bool worse() const;
};

/// Judges a claim by the rows of its experiments. Throws InputError when its expression fits several cells at
/// once.
Judgement judge(const Claim& claim, const std::vector<ResultRow>& rows);

}  // namespace harness

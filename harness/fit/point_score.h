// Scores how well a setting agrees with the paper: its claims are judged on the results of that setting
// alone.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "harness/claims/claim.h"
#include "harness/claims/result_rows.h"
#include "harness/fit/fit_plan.h"
#include "harness/fit/scored_claim.h"

namespace harness {

struct ClaimScore;

/// The score of one point of the fit.
struct PointScore {
  std::vector<ClaimScore> claims;  ///< score of each scored claim
  std::size_t judged = 0;
  double held = 0;  ///< sum of their scores
  /// Distance from the headlines, in natural logarithms. A headline without any value costs as much as the
  /// worst values would; if it has several claims, as the one with the widest range.
  double distance = 0;
  /// Returns what the search maximises.
  double objective() const { return held - distance; }
};

/// A claim at one point.
struct ClaimScore {
  Verdict verdict = Verdict::kNotRun;  ///< verdict by the means over the seeds
  bool is_noisy = false;               ///< true: in some group the seeds lie on both sides of a limit
  double value = 0;                    ///< value as in Judgement::value
  /// Returns 1 if reproduced, 1/2 if partly, minus 1/2 if noisy, but at least 0.
  double score() const;
};

/// Returns the score of one point. `rows` are its rows by the name under which claims know them.
PointScore score(const FitPlan& plan, const std::vector<const Claim*>& claims,
                 const std::vector<Claim>& all_claims,
                 const std::map<std::string, std::vector<ResultRow>>& rows);

/// Returns how far the values of the workloads lie from a range, as a ratio's logarithm: the largest amount
/// by which one lies outside or, with `of_ends`, the sum of the least value's distance from the lower end and
/// of the largest value's distance from the upper end. Each distance is at most the logarithm of the range's
/// width, high / low.
double distance_from(const Interval& range, const std::vector<double>& values, bool of_ends);

/// Returns, for each trace, the rows with the parameters whose mean of the base's metric over pipelines and
/// seeds is least, as series best_as.
std::vector<ResultRow> best_rows(const FitBase& base, std::vector<ResultRow> rows);

}  // namespace harness

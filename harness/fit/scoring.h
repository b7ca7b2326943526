// How well a setting agrees with the paper: its claims, judged on the results of that setting alone.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "harness/claims/ledger.h"
#include "harness/claims/result_rows.h"
#include "harness/fit/fit_plan.h"

namespace harness {

/// A claim that scores: in a search several that say the same of several experiments are one.
struct ScoredClaim {
  std::vector<const Claim*> claims;
  const std::string& id() const { return claims.front()->id; }
};

/// Those of `ledger` that the plan names and one of its bases decides, in the ledger's order; in a search
/// those of kind paper.
/// Throws InputError where there is none, and for a headline's claim that is none of the ledger's.
std::vector<ScoredClaim> scored_claims(const FitPlan& plan, const std::vector<Claim>& ledger);

/// A claim at one point.
struct ClaimScore {
  Verdict verdict = Verdict::kNotRun;  ///< by the means over the seeds
  bool is_noisy = false;               ///< of some group the seeds lie on both sides of a limit
  double value = 0;                    ///< as Judgement::value
  /// 1 reproduced, 1/2 partly, less 1/2 where noisy, at least 0.
  double score() const;
};

struct PointScore {
  std::vector<ClaimScore> claims;  ///< of each scored claim
  std::size_t judged = 0;
  double held = 0;  ///< the sum of their scores
  /// Of the headlines, in natural logarithms. One without any value costs as much as the worst values would,
  /// of several claims those of the widest range.
  double distance = 0;
  /// What the search maximises.
  double objective() const { return held - distance; }
};

/// `rows`: by the name under which claims know them, of one point.
PointScore score(const FitPlan& plan, const std::vector<ScoredClaim>& claims,
                 const std::vector<Claim>& ledger, const std::map<std::string, std::vector<ResultRow>>& rows);

/// How far the values of the workloads lie from a range, as a ratio's logarithm: by how much one lies
/// outside; with `of_ends` the sum of the least value's distance from the lower end and of the largest's from
/// the upper. Each at most the logarithm of the range's width, high / low.
double distance_from(const Interval& range, const std::vector<double>& values, bool of_ends);

/// Of each trace the rows with the parameters whose mean of the base's metric, over pipelines and seeds, is
/// least, as series best_as.
std::vector<ResultRow> best_rows(const FitBase& base, std::vector<ResultRow> rows);

}  // namespace harness

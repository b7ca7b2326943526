// The judgement of results on a claim.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "harness/claims/claim.h"
#include "harness/claims/expression.h"
#include "harness/claims/result_rows.h"
#include "harness/record/analysis/spread.h"

namespace harness {

struct GroupResult;

/// The probability with which a verdict on a claim may be wrong by chance.
inline constexpr double kVerdictError = 0.05;
/// The shares of it that the looks at a claim spend when seeds are added until it is decided (--decide). The
/// first look has the seeds of its experiments, each later one twice as many as the look before. The shares
/// are in proportion to the seeds that a look adds (a linear spending function of Lan and DeMets, 1983);
/// their sum is 1, so that by Bonferroni's inequality all looks together err as seldom as one.
inline constexpr std::array kLookShares = {0.125, 0.125, 0.25, 0.5};

/// The verdict on a claim, with its reasons.
struct Judgement {
  const Claim* claim = nullptr;
  Verdict verdict = Verdict::kNotRun;
  std::vector<GroupResult> groups;  ///< groups that have a value, in the order of the results
  double value = std::numeric_limits<double>::quiet_NaN();  ///< the groups by `combine` (all: their mean)
  double half_width = std::numeric_limits<double>::quiet_NaN();  ///< half-width of `value`; NaN: not known
  std::size_t holding = 0;                                       ///< number of groups that hold
  std::size_t noisy = 0;  ///< number of groups within noise of a limit (0 or 1 for one combined number)
  std::size_t looks = 1;  ///< number of looks after which it was decided, or of all
  /// Worst verdict over all numbers of groups within noise that may hold, from 0 to all. If it differs from
  /// `best` the verdict is undecided, else it is the verdict.
  Verdict worst = Verdict::kNotRun;
  Verdict best = Verdict::kNotRun;  ///< best verdict over the same numbers
  /// Reasons why groups have no value; the first is why a claim is not run.
  std::vector<std::string> missing;
  std::string without;           ///< reason why some seeds of groups have no value
  bool without_results = false;  ///< true if the claim is not run because a results file is missing

  /// True if the verdict is worse than the known one; false if the claim was not run or is undecided.
  bool worse() const;
  /// True if it is undecided and no look is left.
  bool is_spent() const { return verdict == Verdict::kUndecided && looks == kLookShares.size(); }
  /// True if the verdict is undecided and the known one is better; only --strict counts this as worse.
  bool doubtful() const;
};

/// The values of a claim's expression in one group, over the seeds. An expression that itself reduces over
/// `seed` has one value for all seeds.
struct GroupResult {
  std::vector<Selector> keys;      ///< the group's value of each key of for_each
  std::vector<double> by_seed;     ///< values, one for each seed that has a value
  std::vector<std::string> seeds;  ///< names of these seeds; "all" for an expression that reduces over `seed`
  std::size_t without = 0;         ///< number of seeds that have no value
  double mean = 0;
  /// Half of the mean's confidence interval at the look's error (Student's t); NaN with a single seed.
  double half_width = 0;
  /// Confidence interval that is right for all groups at once: of the mean or, where the expression compares,
  /// of the share of seeds with which the claim holds.
  ConfidenceInterval range;
  double least = 0;
  double most = 0;
  bool holds = false;  ///< true if the mean, or most values of an expression that compares, lie in `expect`
  /// True if the confidence interval lies within the claim's `equal` of the limit of `expect`: there is no
  /// difference such as the claim states, and the group does not hold.
  bool is_equal = false;
  /// True if the confidence interval covers both sides of a limit of that: with other seeds `holds` may
  /// differ.
  bool within_noise = false;
  std::map<std::string, std::set<std::size_t>> cells;  ///< cells on which the values rest, by experiment

  /// Returns "lv tweet"; "" without for_each.
  std::string name() const;
};

/// Judges a claim by the rows of its experiments. The verdict is wrong with probability `error` at most:
/// where all groups hold each of them is certain by an interval of that error; else the intervals of all
/// groups are right at once (Bonferroni). Throws InputError if a metric of its expression fits several cells
/// at once.
Judgement judge(const Claim& claim, const std::vector<ResultRow>& rows, double error = kVerdictError);
/// Judges a claim by the rows that each look added to those before: the first look that decides it counts.
/// Each spends its share of the error, a single one too: others may follow.
Judgement judge_looks(const Claim& claim, std::span<const std::vector<ResultRow>> looks);
/// True if more seeds can decide the claim: it does not name `seed` itself.
bool gains_by_seeds(const Claim& claim);
/// Returns the verdict by the means alone, without regard to noise. The judgement must have groups.
Verdict verdict_by_means(const Claim& claim, const Judgement& judgement);

}  // namespace harness

// What the results say about a claim.
#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/claims/expression.h"
#include "harness/claims/ledger.h"
#include "harness/claims/result_rows.h"

namespace harness {

// The value of an expression on rows of results.

/// Computes expressions on the rows of one claim.
///
/// A metric takes the one row that has all its selectors and fits the bindings: of each binding whose key the
/// selectors do not name, the row has that value, or it has no such parameter (a sweep of PARD's parameter
/// does not concern Nexus).
class Evaluation {
 public:
  /// Everything must outlive this; `place` says where the expression stands.
  Evaluation(const std::vector<const ResultRow*>& rows, std::vector<Selector> bindings,
             const InputPlace& place)
      : rows_(rows), bindings_(std::move(bindings)), place_(place) {}

  /// Nothing when a metric has no row, its row is not ok, or its value does not exist (NaN); `missing` then
  /// says what is missing first. Within a reduction such values are left out. Throws InputError when a metric
  /// has several rows, naming the fields in which they differ.
  std::optional<double> value(const Expression& expression);
  const std::string& missing() const { return missing_; }
  /// The rows whose metrics were read so far, each as often as it was.
  const std::vector<const ResultRow*>& used() const { return used_; }

 private:
  std::optional<double> metric(const Expression& expression);
  std::optional<double> reduction(const Expression& expression);
  std::optional<double> operation(const Expression& expression);
  std::optional<double> nothing(const std::string& why);
  bool fits(const ResultRow& row, const std::vector<Selector>& selectors) const;
  /// Nothing where the row has no such value; NaN where that does not exist.
  std::optional<double> value_in(const ResultRow& row, const std::string& column) const;
  std::vector<FieldValue> values_of(const std::string& key) const;

  const std::vector<const ResultRow*>& rows_;
  std::vector<Selector> bindings_;
  const InputPlace& place_;
  std::string missing_;
  std::vector<const ResultRow*> used_;
};

/// Whether the row has that value, or is not concerned: it has no such parameter.
bool fits_binding(const ResultRow& row, const Selector& binding);

/// The values of a claim's expression in one group, over the seeds. An expression that itself reduces over
/// `seed` has one value of all of them.
struct GroupResult {
  std::vector<Selector> keys;      ///< the group's value of each key of for_each
  std::vector<double> by_seed;     ///< of the seeds that have a value
  std::vector<std::string> seeds;  ///< which those are; "all"
  std::size_t without = 0;         ///< seeds that have no value
  double mean = 0;
  double half_width =
      0;  ///< of the 95 % confidence interval of the mean (Student's t); NaN with a single seed
  double least = 0;
  double most = 0;
  bool holds = false;         ///< the mean lies in `expect`; with `share` it is at least 0.5
  bool within_noise = false;  ///< the interval reaches over a limit of that: with other seeds it may not hold
  std::map<std::string, std::set<std::size_t>> cells;  ///< that the values rest on, by experiment

  /// "lv tweet"; "" without for_each.
  std::string name() const;
};

struct Judgement {
  const Claim* claim = nullptr;
  Verdict verdict = Verdict::kNotRun;
  std::vector<GroupResult> groups;  ///< those that have a value, in the order of the results
  double value = std::numeric_limits<double>::quiet_NaN();  ///< the groups by `combine` (all: their mean)
  double half_width = std::numeric_limits<double>::quiet_NaN();  ///< of `value`, where it is known, else NaN
  std::size_t holding = 0;                                       ///< groups that hold
  std::size_t noisy = 0;  ///< groups (for one combined number: 0 or 1) within noise of a limit
  /// The verdict, however many of those within noise hold: from none of them to all. Where the two differ the
  /// verdict is undecided, else it is both.
  Verdict worst = Verdict::kNotRun;
  Verdict best = Verdict::kNotRun;
  std::vector<std::string> missing;  ///< why groups have no value, or all of it when not run
  std::string without;               ///< why some seeds of groups have no value
  bool without_results = false;      ///< not run because a results file is missing

  /// Worse than the verdict that the ledger knows of. What was not run is not, nor what is undecided.
  bool worse() const;
  /// Undecided, where the ledger knows of a better verdict: worse only to those who are strict.
  bool doubtful() const;
};

/// Judges a claim by the rows of its experiments. Throws InputError when its expression fits several cells at
/// once.
Judgement judge(const Claim& claim, const std::vector<ResultRow>& rows);
/// The verdict by the means alone, whatever their noise. The judgement has groups.
Verdict verdict_by_means(const Claim& claim, const Judgement& judgement);

// Judgements as text: a table for people, JSON and JUnit for programs.

/// First which results are missing, and how many claims rest on each; then a row per other claim, its long
/// texts wrapped; then what has no value or is within noise; then the counts, of kind paper and of the
/// others.
std::string claims_table(const std::vector<Judgement>& judgements);
/// An array of objects; numbers in full, null where there is none.
std::string claims_json(const std::vector<Judgement>& judgements);
/// JUnit's XML: a test case per claim; "not reproduced" fails; what is neither that nor reproduced is
/// skipped.
std::string claims_junit(const std::vector<Judgement>& judgements);

}  // namespace harness

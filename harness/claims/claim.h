// A claim, and the claims file: a TOML file with a [[claim]] for each statement of a paper that experiments
// can confirm or contradict, and the interval in which the result should lie (docs/claims.md).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/claims/expression.h"
#include "harness/claims/field_value.h"
#include "harness/claims/interval.h"
#include "harness/claims/result_rows.h"
#include "harness/core/input_error.h"

namespace harness {

/// The verdicts, from worst to best; kNotRun comes first but is neither.
enum class Verdict { kNotRun, kNotReproduced, kUndecided, kPartly, kReproduced };
const char* name_of(Verdict verdict);

/// The kinds of claims, by their author (docs/claims.md, Kinds).
enum class Kind {
  kPaper,    ///< a statement of the paper; the interval follows from the paper's text
  kReading,  ///< a statement of the paper; the interval or the setting is our interpretation
  kOurs,     ///< a claim that the paper does not make
};
constexpr Kind kKinds[] = {Kind::kPaper, Kind::kReading, Kind::kOurs};
const char* name_of(Kind kind);

/// The way in which groups make one verdict: kAll judges each group, the others judge one number.
enum class Combine { kAll, kMin, kMax, kMean, kShare };

struct Filter;

/// A [[claim]] of the file.
struct Claim {
  InputPlace place;
  std::string id;
  Kind kind = Kind::kPaper;
  bool chosen_after = false;  ///< true if its interval, or the place where it is judged, was chosen after
                              ///< results had been seen
  std::string paper;
  std::string section;
  std::string figure;  ///< the paper's figure or table; may be empty
  std::string statement;
  std::string paper_value;
  std::vector<std::string> experiments;  ///< stems of results files
  std::vector<Filter> where;
  std::string expression_text;
  Expression expression;
  Interval expect;
  std::optional<Interval> partly;
  /// Distance from the limit of `expect` within which the value says "no difference": the claim does not hold
  /// if its confidence interval lies there (two one-sided tests, Schuirmann 1987).
  std::optional<double> equal;
  std::vector<std::string> for_each;
  Combine combine = Combine::kAll;
  /// The verdict found so far, so that only a worse one is a change for the worse; kNotRun: not judged yet.
  Verdict known = Verdict::kReproduced;
  std::string see;   ///< page that explains a known deviation; may be empty
  std::string note;  ///< any other remark; may be empty
};

/// A condition on the rows on which a claim rests: a field must have one of the values or lie in the range. A
/// row without this field is kept.
struct Filter {
  InputPlace place;
  std::string key;
  std::vector<FieldValue> any;
  std::optional<Interval> range;

  bool keeps(const ResultRow& row) const;
};

/// Reads a claims file. Throws InputError with file, line and key for a key that is missing or unknown, an id
/// that occurs twice, a mistake in an expression, an interval in which no number lies, and a `partly` that
/// does not hold `expect`.
std::vector<Claim> parse_claims_file(const std::string& file, std::string_view text,
                                     const Vocabulary& vocabulary);

}  // namespace harness

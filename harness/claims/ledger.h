// The claims ledger: a TOML file with a [[claim]] for each statement of a paper that experiments can confirm
// or contradict, and the interval that it expects (docs/claims.md).
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/claims/expression.h"
#include "harness/claims/result_rows.h"
#include "harness/core/error.h"
#include "workloads/files/toml_tree.h"

namespace harness {

// An interval of numbers, as ledgers write what they expect.

/// The numbers from `low` to `high`; an open end does not belong to it.
struct Interval {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_open = false;
  bool high_open = false;

  bool contains(double value) const;
  /// "[1.6, 17]", "> 1", "(0, 1]".
  std::string text() const;
};

/// Whether `text` begins with <, <=, > or >=.
bool is_comparison(std::string_view text);
/// Narrows `interval` by a comparison such as "> 1.6". Throws InputError.
void narrow(Interval& interval, const InputPlace& place, std::string_view comparison);
/// Reads [low, high] (inf and -inf for no end), a comparison, or an array of comparisons that all hold.
/// Throws InputError when it is anything else, or nothing lies in it.
Interval read_interval(const InputPlace& place, const TomlValue& value);

/// From worst to best; "not run" is neither.
enum class Verdict { kNotRun, kNotReproduced, kUndecided, kPartly, kReproduced };
const char* name_of(Verdict verdict);

/// What a claim is evidence of (docs/claims.md, Kinds).
enum class Kind {
  kPaper,       ///< the paper states it, and the interval follows from its text
  kReading,     ///< the paper states it; the interval or the setting is our interpretation
  kCalibrated,  ///< what is expected, or what decides it here, was chosen after seeing results
  kOurs,        ///< the paper does not claim it
};
constexpr Kind kKinds[] = {Kind::kPaper, Kind::kReading, Kind::kCalibrated, Kind::kOurs};
const char* name_of(Kind kind);

/// How groups become one verdict: each for itself, or by one number.
enum class Combine { kAll, kMin, kMax, kMean, kShare };

/// Rows that a claim rests on: those whose field has one of the values or lies in the range. A row that has
/// no such parameter is kept.
struct Filter {
  InputPlace place;
  std::string key;
  std::vector<FieldValue> any;
  std::optional<Interval> range;

  bool keeps(const ResultRow& row) const;
};

struct Claim {
  InputPlace place;
  std::string id;
  Kind kind = Kind::kPaper;
  std::string paper;
  std::string section;
  std::string figure;  ///< may be empty, as `note` and `see`
  std::string statement;
  std::string paper_value;
  std::vector<std::string> experiments;  ///< stems of results files
  std::vector<Filter> where;
  std::string expression_text;
  Expression expression;
  Interval expect;
  std::optional<Interval> partly;
  std::vector<std::string> for_each;
  Combine combine = Combine::kAll;
  Verdict known = Verdict::kReproduced;  ///< a verdict worse than this is a change for the worse; kNotRun:
                                         ///< none was found yet
  std::string see;
  std::string note;
};

/// Reads a ledger. Throws InputError with file, line and key: a key that is missing or unknown, an id twice,
/// a mistake in an expression, an interval in which nothing lies, a `partly` that does not hold `expect`.
std::vector<Claim> parse_ledger(const std::string& file, std::string_view text, const Vocabulary& vocabulary);

}  // namespace harness

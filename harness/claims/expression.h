// What a claim computes, as a tree: `drop_rate[nexus] / drop_rate[pard]` (docs/claims.md is the language).
//
//   expression := sum [("<" | "<=" | ">" | ">=") sum]            1 when it holds, else 0
//   sum        := product {("+" | "-") product}
//   product    := factor {("*" | "/") factor}
//   factor     := "-" factor | NUMBER | "(" expression ")" | metric | function
//   metric     := column "[" series {"," KEY "=" VALUE} "]"       series: SYSTEM ["/" VARIANT], * for any
//   column     := COLUMN | "plan." MODULE "." COLUMN              of /summary; of the plan at the start
//               | "minute." COLUMN                                of each minute, within "over minute"
//   function   := ("min" | "max") "(" expression {"," expression} ")" | "abs" "(" expression ")"
//               | ("min" | "max" | "mean" | "sum" | "argmin" | "argmax") "(" expression "over" KEY ")"
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/claims/result_rows.h"
#include "harness/core/error.h"

namespace harness {

enum class Operation {
  kNumber,
  kMetric,
  kNegate,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kAbs,
  kMin,
  kMax,
  kMean,
  kSum,
  kArgMin,
  kArgMax,
};

/// A field that a row must have: a column, `experiment`, or a parameter by its full name.
struct Selector {
  std::string key;
  FieldValue value;
};

struct Expression {
  Operation operation = Operation::kNumber;
  double number = 0;   ///< kNumber
  std::string column;  ///< kMetric: a numeric column of /summary, plan.MODULE.COLUMN or minute.COLUMN
  std::vector<Selector> selectors;  ///< kMetric: the series, then what else stands in the brackets
  std::string over;                 ///< kMin ... kArgMax: the key of a reduction, "" for a list of arguments
  std::vector<Expression> arguments;
  std::string text;  ///< kMetric: as it was written
};

/// What expressions may name. No systems: any.
struct Vocabulary {
  std::vector<std::string> systems;
};

/// Whether some metric within it is of a plan, or of minutes.
bool reads_plans(const Expression& expression);
bool reads_minutes(const Expression& expression);
/// Whether some reduction within it runs over that key.
bool reduces_over(const Expression& expression, std::string_view key);

/// Throws InputError at `place`: a mistake of form, an unknown column or system (naming the nearest), more
/// than 1000 terms, 100 signs and parentheses or 4 reductions within each other.
Expression parse_expression(const InputPlace& place, std::string_view text, const Vocabulary& vocabulary);

}  // namespace harness

// The expression of a claim as a tree: `drop_rate[nexus] / drop_rate[pard]` (docs/claims.md has the
// language).
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

#include "harness/claims/field_value.h"
#include "harness/core/input_error.h"

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

struct Selector;

/// A node of the tree, with what is below it.
struct Expression {
  Operation operation = Operation::kNumber;
  double number = 0;   ///< value of a kNumber
  std::string column;  ///< column of a kMetric: a number in /summary, plan.MODULE.COLUMN or minute.COLUMN
  std::vector<Selector> selectors;  ///< selectors of a kMetric: its series, then the rest of the brackets
  std::string over;                 ///< key of a reduction (kMin ... kArgMax); "" for a list of arguments
  std::vector<Expression> arguments;
  std::string text;  ///< text of a kMetric as it was written
};

/// A field that a row must have: a column, `experiment`, or a parameter by its full name.
struct Selector {
  std::string key;
  FieldValue value;
};

/// The names that expressions may use.
struct Vocabulary {
  std::vector<std::string> systems;  ///< names of systems; empty: any name
};

/// True if some metric in the expression is a plan's.
bool reads_plans(const Expression& expression);
/// True if some metric in the expression is a minute's.
bool reads_minutes(const Expression& expression);
/// True if some reduction in the expression runs over that key.
bool reduces_over(const Expression& expression, std::string_view key);

/// True if the value rests on a comparison or on where something is least or greatest: it takes few values,
/// so that seeds that agree say little of the next one.
bool is_discrete(const Expression& expression);
/// True if the value is 0 or 1 by its form: a comparison, or a product, least or greatest of such values.
bool is_yes_or_no(const Expression& expression);

/// Parses an expression. Throws InputError at `place` for a mistake of form, an unknown column or system
/// (with the nearest name), more than 1000 terms, 100 nested signs and parentheses, or 4 nested reductions.
Expression parse_expression(const InputPlace& place, std::string_view text, const Vocabulary& vocabulary);

}  // namespace harness

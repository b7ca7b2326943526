#include "harness/claims/evaluation.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "harness/claims/field_value.h"
#include "harness/core/check.h"
#include "harness/core/wording.h"

namespace harness {
namespace {

/// Columns that identify a cell. If several rows fit, the ones in which they differ tell the missing
/// selector.
constexpr const char* kIdentity[] = {
    "experiment", "system",     "variant",         "pipeline", "trace",   "load",  "seed",    "slo_ms",
    "workers",    "duration_s", "measured_from_s", "runtime",  "setting", "group", "window_s"};

bool is_identity(const std::string& key) {
  return key.find('.') != std::string::npos ||
         std::find(std::begin(kIdentity), std::end(kIdentity), key) != std::end(kIdentity);
}

std::string differing(const ResultRow& a, const ResultRow& b) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : a.fields) {
    const FieldValue* other = b.find(key);
    if (is_identity(key) && (other == nullptr || !same_value(value, *other))) keys.push_back(key);
  }
  for (const auto& [key, value] : b.fields) {
    if (is_identity(key) && a.find(key) == nullptr) keys.push_back(key);
  }
  return keys.empty() ? "nothing that could be selected" : join_names(keys);
}

std::string selectors_text(const std::vector<Selector>& selectors) {
  std::string text;
  for (const Selector& selector : selectors)
    text += (text.empty() ? "" : " ") + selector.key + "=" + selector.value.text;
  return text.empty() ? "" : " with " + text;
}

double applied(Operation operation, double a, double b) {
  switch (operation) {
    case Operation::kAdd:
      return a + b;
    case Operation::kSubtract:
      return a - b;
    case Operation::kMultiply:
      return a * b;
    case Operation::kDivide:
      return a / b;
    case Operation::kLess:
      return a < b ? 1 : 0;
    case Operation::kLessEqual:
      return a <= b ? 1 : 0;
    case Operation::kGreater:
      return a > b ? 1 : 0;
    case Operation::kGreaterEqual:
      return a >= b ? 1 : 0;
    case Operation::kMin:
      return std::min(a, b);
    default:
      return std::max(a, b);
  }
}

struct Point {
  FieldValue key;
  double value = 0;
};

double reduced(Operation operation, const std::vector<Point>& points) {
  const auto less = [](const Point& a, const Point& b) { return a.value < b.value; };
  const auto least = std::min_element(points.begin(), points.end(), less);
  const auto most = std::max_element(points.begin(), points.end(), less);
  double sum = 0;
  for (const Point& point : points) sum += point.value;
  switch (operation) {
    case Operation::kMin:
      return least->value;
    case Operation::kMax:
      return most->value;
    case Operation::kArgMin:
      return *least->key.number;
    case Operation::kArgMax:
      return *most->key.number;
    case Operation::kMean:
      return sum / static_cast<double>(points.size());
    default:
      return sum;
  }
}

}  // namespace

bool fits_binding(const ResultRow& row, const Selector& binding) {
  const FieldValue* value = row.find(binding.key);
  return value == nullptr || same_value(*value, binding.value);
}

bool Evaluation::fits(const ResultRow& row, const std::vector<Selector>& selectors) const {
  for (const Selector& selector : selectors) {
    const FieldValue* value = row.find(selector.key);
    if (value == nullptr || !same_value(*value, selector.value)) return false;
  }
  for (const Selector& binding : bindings_) {
    const bool named = std::any_of(selectors.begin(), selectors.end(),
                                   [&](const Selector& selector) { return selector.key == binding.key; });
    if (!named && !fits_binding(row, binding)) return false;
  }
  return true;
}

std::optional<double> Evaluation::note_missing(const std::string& why) {
  if (missing_.empty()) missing_ = why;
  return std::nullopt;
}

std::optional<double> Evaluation::value(const Expression& expression) {
  if (expression.operation == Operation::kNumber) return expression.number;
  if (expression.operation == Operation::kMetric) return metric(expression);
  if (!expression.over.empty()) return reduction(expression);
  return operation(expression);
}

std::optional<double> Evaluation::metric(const Expression& expression) {
  const ResultRow* found = nullptr;
  for (const ResultRow* row : rows_) {
    if (!fits(*row, expression.selectors)) continue;
    if (found != nullptr) {
      throw input_error(place_,
                        expression.text + " in several cells" + selectors_text(bindings_) +
                            ", which differ in " + differing(*found, *row),
                        "one cell for each seed and group: name it in where, for_each, over or the brackets");
    }
    found = row;
  }
  if (found == nullptr) return note_missing("no cell for " + expression.text + selectors_text(bindings_));
  if (!found->ok) return note_missing(expression.text + selectors_text(bindings_) + " was " + found->why);
  const std::optional<double> known = value_in(*found, expression.column);
  if (!known)
    return note_missing(
        expression.text + selectors_text(bindings_) +
        (reads_plans(expression) ? ": its plan has no such module" : ": its file has no such column"));
  const double value = *known;
  if (std::isnan(value)) return note_missing(expression.text + selectors_text(bindings_) + " has no value");
  used_.push_back(found);
  return value;
}

std::optional<double> Evaluation::value_in(const ResultRow& row, const std::string& column) const {
  if (const FieldValue* field = row.find(column)) return field->number;
  if (const auto of_plan = row.plan.find(column); of_plan != row.plan.end()) return of_plan->second;
  const auto of_minutes = row.minutes.find(column);
  if (of_minutes == row.minutes.end()) return std::nullopt;
  const auto bound = std::find_if(bindings_.rbegin(), bindings_.rend(),
                                  [](const Selector& binding) { return binding.key == kMinute; });
  HARNESS_CHECK(bound != bindings_.rend(), "a minute outside of a reduction over minutes");
  const auto minute = static_cast<std::size_t>(*bound->value.number);
  return minute < of_minutes->second.size() ? of_minutes->second[minute] : std::nan("");
}

std::vector<FieldValue> Evaluation::values_of(const std::string& key) const {
  std::vector<FieldValue> values;
  if (key == kMinute) {
    std::size_t most = 0;
    for (const ResultRow* row : rows_) {
      if (!row->minutes.empty() && fits(*row, {})) most = std::max(most, row->minutes.begin()->second.size());
    }
    for (std::size_t minute = 0; minute < most; ++minute)
      values.push_back(field_value(static_cast<double>(minute)));
    return values;
  }
  for (const ResultRow* row : rows_) {
    const FieldValue* value = row->find(key);
    if (value == nullptr || !fits(*row, {})) continue;
    if (std::none_of(values.begin(), values.end(),
                     [&](const FieldValue& other) { return same_value(other, *value); }))
      values.push_back(*value);
  }
  std::sort(values.begin(), values.end(), value_less);
  return values;
}

std::optional<double> Evaluation::reduction(const Expression& expression) {
  const bool wants_number =
      expression.operation == Operation::kArgMin || expression.operation == Operation::kArgMax;
  std::vector<Point> points;
  const std::string missing_before = missing_;
  for (const FieldValue& key : values_of(expression.over)) {
    if (wants_number && !key.number) {
      throw input_error(place_, "argmin or argmax over " + expression.over + ", which is " + key.text,
                        "a key whose values are numbers");
    }
    bindings_.push_back({expression.over, key});
    const std::optional<double> value = this->value(expression.arguments.front());
    bindings_.pop_back();
    if (value) points.push_back({key, *value});
  }
  if (points.empty()) return note_missing("no cell with " + expression.over + selectors_text(bindings_));
  missing_ = missing_before;
  return reduced(expression.operation, points);
}

std::optional<double> Evaluation::operation(const Expression& expression) {
  std::optional<double> result = value(expression.arguments.front());
  if (!result) return result;
  if (expression.operation == Operation::kNegate) return -*result;
  if (expression.operation == Operation::kAbs) return std::abs(*result);
  for (std::size_t i = 1; i < expression.arguments.size(); ++i) {
    const std::optional<double> next = value(expression.arguments[i]);
    if (!next) return next;
    result = applied(expression.operation, *result, *next);
  }
  if (std::isnan(*result)) return note_missing("no value: 0 / 0, or of infinite values");
  return result;
}

}  // namespace harness

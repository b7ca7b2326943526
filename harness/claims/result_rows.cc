#include "harness/claims/result_rows.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <type_traits>

#include "harness/record/analysis/report_text.h"

namespace harness {
namespace {

constexpr double kTolerance = 1e-6;

/// What expressions may ask of a plan: the numbers that mean the same in every cell.
bool is_of_plan(std::string_view column) {
  return column != "at_ns" && column != "module" && column != "device";
}

}  // namespace

FieldValue field_value(std::string_view text) {
  FieldValue value{std::string(text), std::nullopt};
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (whole && std::isfinite(number)) value.number = number;
  return value;
}

FieldValue field_value(double number) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, number).ptr;
  return {std::string(text, end), number};
}

bool same_value(const FieldValue& a, const FieldValue& b) {
  if (!a.number || !b.number) return a.text == b.text;
  const auto whole = [](double number) { return std::floor(number) == number; };
  if (whole(*a.number) && whole(*b.number)) return *a.number == *b.number;  // seeds are often large
  return std::abs(*a.number - *b.number) <= kTolerance * std::max(std::abs(*a.number), std::abs(*b.number));
}

bool value_less(const FieldValue& a, const FieldValue& b) {
  if (a.number && b.number) return *a.number < *b.number;
  if (a.number.has_value() != b.number.has_value()) return a.number.has_value();
  return a.text < b.text;
}

const FieldValue* ResultRow::find(std::string_view key) const {
  const auto found = fields.find(key);
  return found == fields.end() ? nullptr : &found->second;
}

std::vector<ResultRow> result_rows(const std::string& experiment, std::vector<SummaryRow> rows,
                                   const std::vector<StartPlan>& plans) {
  std::vector<ResultRow> result;
  auto plan = plans.begin();
  for (SummaryRow& row : rows) {
    ResultRow made;
    made.ok = row.status == "ok";
    if (!made.ok) made.why = row.status + ": " + row.why;
    SummaryRow::list(row, [&]<class Value>(const char* name, const Value& value) {
      if constexpr (std::is_same_v<Value, std::string>)
        made.fields.emplace(name, FieldValue{value, std::nullopt});
      else
        made.fields.emplace(name, field_value(static_cast<double>(value)));
    });
    made.fields.emplace("experiment", FieldValue{experiment, std::nullopt});
    for (const auto& [key, value] : parameters_of(row.cell)) {
      made.fields.insert_or_assign(key, field_value(value));
    }
    for (; plan != plans.end() && plan->cell == row.cell.index; ++plan) {
      PlanRow::list(plan->row, [&](const char* name, const auto& value) {
        if (is_of_plan(name)) made.plan["plan." + plan->module + "." + name] = static_cast<double>(value);
      });
    }
    result.push_back(std::move(made));
  }
  return result;
}

std::vector<std::string> numeric_columns() {
  std::vector<std::string> names;
  const SummaryRow row;
  SummaryRow::list(row, [&]<class Value>(const char* name, const Value&) {
    if (!std::is_same_v<Value, std::string>) names.emplace_back(name);
  });
  return names;
}

std::vector<std::string> plan_columns() {
  std::vector<std::string> names;
  const PlanRow row;
  PlanRow::list(row, [&](const char* name, const auto&) {
    if (is_of_plan(name)) names.emplace_back(name);
  });
  return names;
}

std::vector<std::string> selecting_columns() {
  std::vector<std::string> names = summary_columns();
  names.emplace_back("experiment");
  names.emplace_back("setting");
  return names;
}

}  // namespace harness

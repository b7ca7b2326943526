#include "harness/claims/result_rows.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "harness/record/summary_text.h"

namespace harness {
namespace {

constexpr double kTolerance = 1e-6;

FieldValue value_of(const SummaryRow::ColumnPointer& pointer) {
  if (const auto* text = std::get_if<std::string*>(&pointer)) return {**text, std::nullopt};
  if (const auto* real = std::get_if<double*>(&pointer)) return field_value(**real);
  if (const auto* count = std::get_if<std::uint64_t*>(&pointer))
    return field_value(static_cast<double>(**count));
  return field_value(static_cast<double>(*std::get<std::uint32_t*>(pointer)));
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

std::string ResultRow::text(std::string_view key) const {
  const FieldValue* value = find(key);
  return value == nullptr ? "" : value->text;
}

std::vector<ResultRow> result_rows(const std::string& experiment, std::vector<SummaryRow> rows) {
  std::vector<ResultRow> result;
  for (SummaryRow& row : rows) {
    ResultRow made;
    made.ok = row.status == "ok";
    if (!made.ok) made.why = row.status + ": " + row.why;
    row.list([&](const char* name, const char*, SummaryRow::ColumnPointer pointer) {
      made.fields.emplace(name, value_of(pointer));
    });
    made.fields.emplace("experiment", FieldValue{experiment, std::nullopt});
    for (const auto& [key, value] : parameters_of(row.cell)) {
      made.fields.insert_or_assign(key, field_value(value));
    }
    result.push_back(std::move(made));
  }
  return result;
}

std::vector<std::string> numeric_columns() {
  std::vector<std::string> names;
  SummaryRow row;
  row.list([&](const char* name, const char*, SummaryRow::ColumnPointer pointer) {
    if (!std::holds_alternative<std::string*>(pointer)) names.emplace_back(name);
  });
  return names;
}

std::vector<std::string> selecting_columns() {
  std::vector<std::string> names = summary_columns();
  names.emplace_back("experiment");
  return names;
}

}  // namespace harness

#include "harness/claims/field_value.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace harness {

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
  constexpr double kTolerance = 1e-6;
  return std::abs(*a.number - *b.number) <= kTolerance * std::max(std::abs(*a.number), std::abs(*b.number));
}

bool value_less(const FieldValue& a, const FieldValue& b) {
  if (a.number && b.number) return *a.number < *b.number;
  if (a.number.has_value() != b.number.has_value()) return a.number.has_value();
  return a.text < b.text;
}

}  // namespace harness

// The value of a field of a row of results.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace harness {

/// The value of a field: its text and, if it is a number or a parameter that reads as one, also `number`.
struct FieldValue {
  std::string text;
  std::optional<double> number;
};
FieldValue field_value(std::string_view text);
FieldValue field_value(double number);
/// True if the values are equal. Two numbers may differ by one part in a million, unless both are whole, so
/// that a load equals its nominal value. Other values are compared as texts.
bool same_value(const FieldValue& a, const FieldValue& b);
/// Orders values: numbers first, by size, then texts.
bool value_less(const FieldValue& a, const FieldValue& b);

}  // namespace harness

// The value of a field of a row of results.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace harness {

/// The value of a field: its text and, if it is a number, also `number`.
struct FieldValue {
  std::string text;
  std::optional<double> number;
};
/// Returns the value of a text; it is a number, too, if the text reads as a finite one.
FieldValue field_value(std::string_view text);
/// Returns the value of a number; its text is the shortest that reads back.
FieldValue field_value(double number);
/// True if the values are equal. Two numbers may differ by one part in a million, so that a load equals its
/// nominal value. Two whole numbers must be equal, since seeds are large. Unless both values are numbers,
/// their texts are compared.
bool same_value(const FieldValue& a, const FieldValue& b);
/// Orders values: numbers first, by size, then texts. It is exact: of two values that are equal by
/// same_value(), one may still be less.
bool value_less(const FieldValue& a, const FieldValue& b);

}  // namespace harness

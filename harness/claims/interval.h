// The interval of numbers that a claim expects.
#pragma once

#include <limits>
#include <string>
#include <string_view>

#include "harness/core/input_error.h"
#include "harness/files/toml_value.h"

namespace harness {

/// The numbers from `low` to `high`; an open end does not belong to it.
struct Interval {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_open = false;
  bool high_open = false;

  bool contains(double value) const;
  /// Returns "[1.6, 17]", "> 1" or "(0, 1]".
  std::string text() const;
};

/// True if `text` begins with <, <=, > or >=.
bool is_comparison(std::string_view text);
/// Narrows `interval` by a comparison such as "> 1.6". Throws InputError if it is no comparison.
void narrow(Interval& interval, const InputPlace& place, std::string_view comparison);
/// Reads [low, high] (inf and -inf for no end), a comparison, or an array of comparisons that must all hold.
/// Throws InputError if the value is anything else, or if no number lies in the interval.
Interval read_interval(const InputPlace& place, const TomlValue& value);
/// Reads the figure of a paper and returns the values that count as the same. For a number these lie within a
/// quarter of it; for a factor such as "4.6x" within a quarter of its gain, which is 3.6. Throws InputError
/// unless the number is above 0, the factor above 1.
Interval read_about(const InputPlace& place, const TomlValue& value);

}  // namespace harness

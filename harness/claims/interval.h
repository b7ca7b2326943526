// An interval of numbers, as ledgers write what they expect.
#pragma once

#include <limits>
#include <string>
#include <string_view>

#include "harness/core/error.h"
#include "workloads/toml_tree.h"

namespace harness {

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

}  // namespace harness

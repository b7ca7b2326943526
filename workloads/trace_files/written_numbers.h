// What the way in which the numbers and dates of a log are written says: dots of thousands, digits that were
// lost, offsets from UTC.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "workloads/files/text_lines.h"

namespace harness {

/// The numbers of one column, in any order.
class WrittenNumbers {
 public:
  void add(std::string_view field);

  /// A number whose dot may part thousands, "1.013", where each of the column either has no more than three
  /// digits or exactly three behind its only dot; empty where one shows that dots stand before decimals.
  const std::string& dotted() const { return is_grouped_ ? dotted_ : none_; }

  /// Of numbers with exponents the least step between two with as many significant digits, at least six as %g
  /// prints them, at the largest exponent: 1000 for "1.76e+09". 0: none has an exponent.
  double step() const;
  /// Those digits.
  int digits() const;

 private:
  bool is_grouped_ = true;
  std::string dotted_;
  std::string none_;
  int digits_ = 0;  ///< of the numbers with exponents
  int exponent_ = 0;
};

/// The dates of one column, in any order: all say how far they are from UTC, or none does.
class WrittenOffsets {
 public:
  /// Throws InputError for a date, of which read_timestamp reads something, that differs from those before.
  void add(const TextLines& lines, const std::string& key, std::string_view date);

 private:
  std::optional<bool> is_local_;
};

/// "1.013" as the integer that it stands for where dots part thousands.
std::string without_dots(std::string_view number);

/// "'1.013', which may be 1013 or 1.013".
std::string either_way(std::string_view number);

/// number_field(), whose message says how numbers are written where there are separators in it.
double log_number(const TextLines& lines, const std::string& key, std::string_view field, double low,
                  double high);
/// "a date and time (ISO 8601), or a number", and the same of what looks like a number with separators.
std::string time_or_number(std::string_view field);

}  // namespace harness

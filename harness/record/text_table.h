// Rows of text and numbers as a table for people, as JSON and as CSV for programs.
#pragma once

#include <string>
#include <vector>

namespace harness {

struct TextCell {
  std::string text;  ///< empty: no value
  bool number = false;
};
using TextRow = std::vector<TextCell>;

/// Every row has a cell for each column.
struct TextTable {
  std::vector<std::string> columns;
  std::vector<TextRow> rows;
};

/// The shortest form that reads back to the same value, or six significant digits; no value for NaN.
TextCell number_cell(double value, bool full_precision);

/// Aligned with spaces, a header first; "-" where there is no value.
std::string aligned_text(const TextTable& table);
/// An array of objects; a number without a value, or an infinite one, is null.
std::string json_text(const TextTable& table);
/// RFC 4180, a header first; nothing where there is no value.
std::string csv_text(const TextTable& table);

/// Each text on a line of its own, behind the prefix.
std::string prefixed_lines(const std::string& prefix, const std::vector<std::string>& texts);

}  // namespace harness

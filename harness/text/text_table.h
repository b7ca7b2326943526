// A report's rows and columns: as a table for people, as JSON and as CSV for programs.
#pragma once

#include <concepts>
#include <string>
#include <vector>

#include "harness/text/json.h"

namespace harness {

struct TextCell;
struct TextColumn;

/// Every row has a cell for each column.
struct TextTable {
  std::vector<TextColumn> columns;
  std::vector<std::vector<TextCell>> rows;

  /// Begins a row, which add() fills. Each row must get the same columns.
  void add_row();
  template <class Value>
  void add(const TextColumn& column, const Value& value);
  /// Adds a value that people see as `shown`.
  template <class Value>
  void add(const TextColumn& column, const Value& value, const std::string& shown);
};

/// One value in the forms for its different readers.
struct TextCell {
  std::string text;   ///< form in CSV; empty: no value
  std::string json;   ///< form in JSON
  std::string shown;  ///< form for people
  bool is_number = false;
};

struct TextColumn {
  std::string name;            ///< name in JSON and CSV; empty: the column is for people only
  std::string heading = name;  ///< heading in the table; empty: the column is for programs only
  std::size_t widest = 0;      ///< width beyond which texts in the table are broken at spaces; 0: no limit
};

TextCell cell_of(const std::string& text);
/// Returns the shortest form that reads back to the same value, and number_text() for people. NaN is no
/// value.
TextCell cell_of(double value);
/// Returns a cell with the same form for all readers: a count, or JSON that has no place in a table.
template <class Value>
requires std::integral<Value> || std::same_as<Value, Json> TextCell cell_of(const Value& value) {
  const std::string text = json_of(value);
  return {text, text, text, true};
}

template <class Value>
void TextTable::add(const TextColumn& column, const Value& value) {
  if (rows.size() == 1) columns.push_back(column);
  rows.back().push_back(cell_of(value));
}

template <class Value>
void TextTable::add(const TextColumn& column, const Value& value, const std::string& shown) {
  add(column, value);
  rows.back().back().shown = shown;
}

/// Returns the value with six significant digits; "" for NaN.
std::string number_text(double value);

/// Returns the columns for people, aligned with spaces, a header first; "-" for an empty cell.
std::string aligned_text(const TextTable& table);
/// Returns a JSON object for each row.
std::vector<Json> json_rows(const TextTable& table);
/// Returns an array of json_rows(), each on a line of its own.
std::string json_text(const TextTable& table);
/// Returns CSV as in RFC 4180, a header first; a field without a value is empty.
std::string csv_text(const TextTable& table);

/// Returns the columns of aligned_text() as a table of Markdown.
std::string markdown_text(const TextTable& table);
/// Returns the columns of aligned_text() as a tabular of LaTeX with booktabs' rules.
std::string latex_text(const TextTable& table);

/// Keeps the rows whose column has one of the values, in the form of CSV or the form for people. Returns
/// false if there is no such column.
bool keep_rows(TextTable& table, const std::string& column, const std::vector<std::string>& values);
/// Sorts the rows by a column, in rising or falling order, numbers by value; rows without a value come last.
/// Returns false if there is no such column.
bool sort_rows(TextTable& table, const std::string& column, bool is_falling);

/// Returns the text without control characters, broken at spaces into lines of at most `widest` bytes (a
/// longer word has a line of its own); 0: one line. Returns "-" for an empty text.
std::vector<std::string> wrapped(const std::string& text, std::size_t widest);

/// Returns each text on a line of its own, behind the prefix.
std::string prefixed_lines(const std::string& prefix, const std::vector<std::string>& texts);

}  // namespace harness

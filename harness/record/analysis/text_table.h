// A report's rows and columns: as a table for people, as JSON and as CSV for programs.
#pragma once

#include <concepts>
#include <string>
#include <vector>

namespace harness {

// Texts and numbers as JSON.

/// A text that is JSON already.
struct Json {
  std::string text;
};

inline std::string json_of(const Json& json) { return json.text; }
/// In quotes, with '"', '\' and control characters escaped.
std::string json_of(const std::string& text);
/// The shortest form that reads back to the same value; null for NaN, which is no value, and the text "inf"
/// or "-inf" for infinities, for which JSON has no number.
std::string json_of(double value);
/// true or false, or a whole number.
template <std::integral Value>
std::string json_of(Value value) {
  if constexpr (std::same_as<Value, bool>)
    return value ? "true" : "false";
  else
    return std::to_string(value);
}
/// An array on one line.
template <class Value>
std::string json_of(const std::vector<Value>& values) {
  std::string list;
  for (const Value& value : values) list += (list.empty() ? "" : ", ") + json_of(value);
  return "[" + list + "]";
}

/// An array with a line for each.
std::string json_lines(const std::vector<Json>& values);

/// An object, with its members in the order in which they were added.
class JsonObject {
 public:
  template <class Value>
  void add(const std::string& name, const Value& value) {
    members_.push_back(json_of(name) + ": " + json_of(value));
  }
  Json json(const char* separator = ", ") const;

 private:
  std::vector<std::string> members_;
};

/// A value as its readers see it.
struct TextCell {
  std::string text;   ///< in CSV; empty: no value
  std::string json;   ///< the same
  std::string shown;  ///< to people
  bool is_number = false;
};

struct TextColumn {
  std::string name;            ///< in JSON and CSV; empty: for people only
  std::string heading = name;  ///< in the table; empty: for programs only
  std::size_t widest = 0;      ///< longer texts of the table are broken at spaces; 0: none are
};

TextCell cell_of(const std::string& text);
/// In the shortest form that reads back to the same value, for people as number_text(). NaN is no value.
TextCell cell_of(double value);
/// What looks the same everywhere: a count, or JSON that has no place in a table.
template <class Value>
requires std::integral<Value> || std::same_as<Value, Json> TextCell cell_of(const Value& value) {
  const std::string text = json_of(value);
  return {text, text, text, true};
}

/// Every row has a cell for each column.
struct TextTable {
  std::vector<TextColumn> columns;
  std::vector<std::vector<TextCell>> rows;

  /// Begins a row, which add() fills: the same columns in each.
  void add_row() { rows.emplace_back(); }
  template <class Value>
  void add(const TextColumn& column, const Value& value) {
    if (rows.size() == 1) columns.push_back(column);
    rows.back().push_back(cell_of(value));
  }
  /// Of a value that people read as `shown`.
  template <class Value>
  void add(const TextColumn& column, const Value& value, const std::string& shown) {
    add(column, value);
    rows.back().back().shown = shown;
  }
};

/// Six significant digits; "" for NaN.
std::string number_text(double value);

/// Aligned with spaces, a header first; "-" where there is nothing to show.
std::string aligned_text(const TextTable& table);
/// An object for each row.
std::vector<Json> json_rows(const TextTable& table);
/// An array of them, a line each.
std::string json_text(const TextTable& table);
/// RFC 4180, a header first; nothing where there is no value.
std::string csv_text(const TextTable& table);

/// As aligned_text() has it, for a page: a table of Markdown, or a tabular of LaTeX with booktabs' rules.
std::string markdown_text(const TextTable& table);
std::string latex_text(const TextTable& table);

/// Keeps the rows whose column has one of the values, as CSV or people see it. False: no such column.
bool keep_rows(TextTable& table, const std::string& column, const std::vector<std::string>& values);
/// In rising order of a column, numbers by value; rows without a value last. False: no such column.
bool sort_rows(TextTable& table, const std::string& column, bool is_falling);

/// Returns the text without control characters, broken at spaces into lines of at most `widest`, or of one
/// word that is longer; 0: one line.
std::vector<std::string> wrapped(const std::string& text, std::size_t widest);

/// Each text on a line of its own, behind the prefix.
std::string prefixed_lines(const std::string& prefix, const std::vector<std::string>& texts);

// Test reports in JUnit's XML, as CI servers show them.

struct JUnitCase {
  enum class Result { kPassed, kFailed, kSkipped, kError };

  std::string group;  ///< the `classname`, by which reports are folded
  std::string name;
  Result result = Result::kPassed;
  std::string message;  ///< why it did not pass
  std::string output;
};

/// One test suite with its counts.
std::string junit_text(const std::string& suite, const std::vector<JUnitCase>& cases);

}  // namespace harness

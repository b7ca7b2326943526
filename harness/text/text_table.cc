#include "harness/text/text_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "harness/core/printable.h"

namespace harness {
namespace {

using Lines = std::vector<std::string>;

std::string csv_value(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

/// Returns a line of CSV. `text_of(i)` returns the text of column i.
template <class Text>
std::string csv_line(const TextTable& table, const Text& text_of) {
  std::string line;
  const char* separator = "";
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].name.empty()) continue;
    line += separator + csv_value(text_of(i));
    separator = ",";
  }
  return line + "\n";
}

// Number of bytes of a word, or of a whole text, that a table shows at most; no column of the harness needs
// more.
constexpr std::size_t kLongestCell = 2000;

}  // namespace

Lines wrapped(const std::string& text, std::size_t widest) {
  if (text.empty()) return {"-"};
  if (widest == 0) return {printable(text, kLongestCell)};
  Lines lines(1);
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find_first_of(" \n", begin), text.size());
    const std::string word = printable(std::string_view(text).substr(begin, end - begin), kLongestCell);
    begin = end + 1;
    if (word.empty()) continue;
    std::string& line = lines.back();
    if (!line.empty() && line.size() + 1 + word.size() > widest) {
      lines.push_back(word);
    } else {
      line += (line.empty() ? "" : " ") + word;
    }
  }
  return lines;
}

namespace {

/// A column of the table for people, its header first.
struct ShownColumn {
  std::vector<Lines> cells;
  std::size_t width = 0;
  bool to_the_right = false;
};

ShownColumn shown_column(const TextTable& table, std::size_t index) {
  const TextColumn& column = table.columns[index];
  ShownColumn shown{{{column.heading}}, column.heading.size()};
  for (const auto& row : table.rows) {
    shown.cells.push_back(wrapped(row[index].shown, column.widest));
    for (const std::string& line : shown.cells.back()) shown.width = std::max(shown.width, line.size());
    shown.to_the_right = row[index].is_number;
  }
  return shown;
}

void append_row(std::string& out, const std::vector<ShownColumn>& columns, std::size_t row) {
  std::size_t height = 0;
  for (const ShownColumn& column : columns) height = std::max(height, column.cells[row].size());
  for (std::size_t y = 0; y < height; ++y) {
    std::string line;
    for (const ShownColumn& column : columns) {
      const Lines& cell = column.cells[row];
      const std::string text = y < cell.size() ? cell[y] : "";
      const std::string space(column.width - text.size(), ' ');
      line += (&column == columns.data() ? "" : "  ") + (column.to_the_right ? space + text : text + space);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
}

}  // namespace

void TextTable::add_row() { rows.emplace_back(); }

TextCell cell_of(const std::string& text) { return {text, json_of(text), text}; }

TextCell cell_of(double value) {
  if (std::isnan(value)) return {"", "null", "", true};
  char text[32];
  return {std::string(text, std::to_chars(text, text + sizeof text, value).ptr), json_of(value),
          number_text(value), true};
}

std::string number_text(double value) {
  if (std::isnan(value)) return "";
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::string aligned_text(const TextTable& table) {
  std::vector<ShownColumn> columns;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (!table.columns[i].heading.empty()) columns.push_back(shown_column(table, i));
  }
  std::string out;
  for (std::size_t row = 0; row <= table.rows.size(); ++row) append_row(out, columns, row);
  return out;
}

namespace {

/// Returns the indices of the columns that people see.
std::vector<std::size_t> shown_columns(const TextTable& table) {
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (!table.columns[i].heading.empty()) shown.push_back(i);
  }
  return shown;
}

/// Returns the text with a backslash before each special character. For LaTeX, characters that need more than
/// a backslash are replaced by their names.
std::string escaped(const std::string& text, std::string_view special, bool is_latex) {
  std::string result;
  for (const char c : printable(text, kLongestCell)) {
    if (is_latex && (c == '\\' || c == '~' || c == '^')) {
      result += c == '\\' ? "\\textbackslash{}" : c == '~' ? "\\textasciitilde{}" : "\\textasciicircum{}";
      continue;
    }
    if (special.find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

bool is_right(const TextTable& table, std::size_t column) {
  return !table.rows.empty() && table.rows.front()[column].is_number;
}

std::string joined_cells(const std::vector<std::string>& cells, const std::string& between) {
  std::string line;
  for (const std::string& cell : cells) line += (&cell == cells.data() ? "" : between) + cell;
  return line;
}

/// Returns the texts of the headings, then of the rows, each cell made by `cell_text`.
template <class CellText>
std::vector<std::vector<std::string>> texts_of(const TextTable& table, CellText cell_text) {
  std::vector<std::vector<std::string>> lines(1);
  for (const std::size_t i : shown_columns(table)) lines[0].push_back(cell_text(table.columns[i].heading));
  for (const auto& row : table.rows) {
    lines.emplace_back();
    for (const std::size_t i : shown_columns(table)) lines.back().push_back(cell_text(row[i].shown));
  }
  return lines;
}

std::size_t column_of(const TextTable& table, const std::string& name) {
  const auto found = std::find_if(table.columns.begin(), table.columns.end(), [&](const TextColumn& column) {
    return column.name == name || column.heading == name;
  });
  return static_cast<std::size_t>(found - table.columns.begin());
}

}  // namespace

std::string markdown_text(const TextTable& table) {
  const auto lines = texts_of(table, [](const std::string& text) { return escaped(text, "|\\", false); });
  std::string out;
  for (const auto& line : lines) {
    out += "| " + joined_cells(line, " | ") + " |\n";
    if (&line != lines.data()) continue;
    for (const std::size_t i : shown_columns(table)) out += is_right(table, i) ? "|---:" : "|---";
    out += "|\n";
  }
  return out;
}

std::string latex_text(const TextTable& table) {
  const auto lines = texts_of(table, [](const std::string& text) { return escaped(text, "_%&#${}", true); });
  std::string out = "\\begin{tabular}{";
  for (const std::size_t i : shown_columns(table)) out += is_right(table, i) ? 'r' : 'l';
  out += "}\n\\toprule\n";
  for (const auto& line : lines)
    out += joined_cells(line, " & ") + " \\\\\n" + (&line == lines.data() ? "\\midrule\n" : "");
  return out + "\\bottomrule\n\\end{tabular}\n";
}

bool keep_rows(TextTable& table, const std::string& column, const std::vector<std::string>& values) {
  const std::size_t at = column_of(table, column);
  if (at == table.columns.size()) return false;
  std::erase_if(table.rows, [&](const std::vector<TextCell>& row) {
    return std::find(values.begin(), values.end(), row[at].text) == values.end() &&
           std::find(values.begin(), values.end(), row[at].shown) == values.end();
  });
  return true;
}

bool sort_rows(TextTable& table, const std::string& column, bool is_falling) {
  const std::size_t at = column_of(table, column);
  if (at == table.columns.size()) return false;
  const auto is_before = [at](const std::vector<TextCell>& a, const std::vector<TextCell>& b) {
    if (!a[at].is_number) return a[at].text < b[at].text;
    return std::strtod(a[at].text.c_str(), nullptr) < std::strtod(b[at].text.c_str(), nullptr);
  };
  std::stable_sort(table.rows.begin(), table.rows.end(), [&](const auto& a, const auto& b) {
    if (a[at].text.empty() || b[at].text.empty()) return b[at].text.empty() && !a[at].text.empty();
    return is_falling ? is_before(b, a) : is_before(a, b);
  });
  return true;
}

std::vector<Json> json_rows(const TextTable& table) {
  std::vector<Json> rows;
  for (const auto& row : table.rows) {
    JsonObject object;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (!table.columns[i].name.empty()) object.add(table.columns[i].name, Json{row[i].json});
    }
    rows.push_back(object.json());
  }
  return rows;
}

std::string json_text(const TextTable& table) { return json_lines(json_rows(table)); }

std::string prefixed_lines(const std::string& prefix, const std::vector<std::string>& texts) {
  std::string lines;
  for (const std::string& text : texts) lines += prefix + text + "\n";
  return lines;
}

std::string csv_text(const TextTable& table) {
  std::string out = csv_line(table, [&](std::size_t i) { return table.columns[i].name; });
  for (const auto& row : table.rows) out += csv_line(table, [&](std::size_t i) { return row[i].text; });
  return out;
}

}  // namespace harness

#include "harness/record/analysis/text_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "harness/core/error.h"

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

std::string json_of(const std::string& text) {
  std::string quoted = "\"";
  for (std::string_view rest = text; !rest.empty();) {
    std::size_t bytes = printable_bytes(rest);
    if (bytes > 0) {
      if (rest[0] == '"' || rest[0] == '\\') quoted += '\\';
      quoted += rest.substr(0, bytes);
    } else {
      // One of the control characters that UTF-8 has in two bytes, in one, or no UTF-8 at all.
      const bool is_c1 = rest[0] == '\xc2' && rest.size() > 1 && (rest[1] & 0xe0) == 0x80;
      bytes = is_c1 ? 2 : 1;
      const auto code = static_cast<unsigned char>(rest[bytes - 1]);
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", is_c1 || code < 0x80 ? code : 0xfffdU);
      quoted += escaped;
    }
    rest.remove_prefix(bytes);
  }
  return quoted + "\"";
}

std::string json_of(double value) {
  if (std::isnan(value)) return "null";
  if (std::isinf(value)) return value > 0 ? "\"inf\"" : "\"-inf\"";
  char text[32];
  return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
}

std::string json_lines(const std::vector<Json>& values) {
  std::string lines;
  for (const Json& value : values) lines += (lines.empty() ? "\n  " : ",\n  ") + value.text;
  return "[" + lines + (values.empty() ? "]" : "\n]");
}

Json JsonObject::json(const char* separator) const {
  std::string text = "{";
  for (const std::string& member : members_) text += (&member == members_.data() ? "" : separator) + member;
  return {text + "}"};
}

namespace {

std::string xml_text(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:  // control characters have no place in XML
        escaped += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return escaped;
}

std::string count_of(const std::vector<JUnitCase>& cases, JUnitCase::Result result) {
  return std::to_string(std::count_if(cases.begin(), cases.end(),
                                      [&](const JUnitCase& each) { return each.result == result; }));
}

/// Returns the name of the XML element for a result; nullptr if the test passed.
const char* element_of(JUnitCase::Result result) {
  constexpr const char* kElements[] = {nullptr, "failure", "skipped", "error"};
  return kElements[static_cast<std::size_t>(result)];
}

}  // namespace

std::string junit_text(const std::string& suite, const std::vector<JUnitCase>& cases) {
  const std::string numbers = " tests=\"" + std::to_string(cases.size()) + "\" failures=\"" +
                              count_of(cases, JUnitCase::Result::kFailed) + "\" skipped=\"" +
                              count_of(cases, JUnitCase::Result::kSkipped) + "\" errors=\"" +
                              count_of(cases, JUnitCase::Result::kError) + "\"";
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" + numbers +
                    ">\n  <testsuite name=\"" + xml_text(suite) + "\"" + numbers + ">\n";
  for (const JUnitCase& each : cases) {
    out += "    <testcase classname=\"" + xml_text(each.group) + "\" name=\"" + xml_text(each.name) +
           "\" time=\"0\">\n";
    if (const char* element = element_of(each.result))
      out += std::string("      <") + element + " message=\"" + xml_text(each.message) + "\"/>\n";
    out += "      <system-out>" + xml_text(each.output) + "</system-out>\n    </testcase>\n";
  }
  return out + "  </testsuite>\n</testsuites>\n";
}

}  // namespace harness

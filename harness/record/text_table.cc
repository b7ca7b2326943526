#include "harness/record/text_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "harness/record/json_text.h"

namespace harness {
namespace {

/// JSON has no infinities and no NaN.
std::string json_value(const TextCell& cell) {
  if (!cell.number) return json_string(cell.text);
  const bool finite = !cell.text.empty() && cell.text.find_first_of("ain") == std::string::npos;
  return finite ? cell.text : "null";
}

std::string csv_value(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

void append_aligned(std::string& out, const TextRow& row, const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::string text = row[i].text.empty() ? "-" : row[i].text;
    const std::string space(widths[i] - text.size(), ' ');
    line += (i == 0 ? "" : "  ") + (row[i].number ? space + text : text + space);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  out += line + "\n";
}

}  // namespace

TextCell number_cell(double value, bool full_precision) {
  if (std::isnan(value)) return {"", true};
  char text[32];
  if (full_precision) return {std::string(text, std::to_chars(text, text + sizeof text, value).ptr), true};
  std::snprintf(text, sizeof text, "%.6g", value);
  return {text, true};
}

std::string aligned_text(const TextTable& table) {
  TextRow header;
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    header.push_back({table.columns[i], !table.rows.empty() && table.rows.front()[i].number});
    widths.push_back(std::max<std::size_t>(1, table.columns[i].size()));
    for (const TextRow& row : table.rows) widths[i] = std::max(widths[i], row[i].text.size());
  }
  std::string out;
  append_aligned(out, header, widths);
  for (const TextRow& row : table.rows) append_aligned(out, row, widths);
  return out;
}

std::string json_text(const TextTable& table) {
  std::string out = "[";
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const TextRow& row = table.rows[i];
    out += i == 0 ? "\n  {" : ",\n  {";
    for (std::size_t j = 0; j < row.size(); ++j) {
      out += (j == 0 ? "" : ", ") + json_string(table.columns[j]) + ": " + json_value(row[j]);
    }
    out += "}";
  }
  return out + (table.rows.empty() ? "]\n" : "\n]\n");
}

std::string prefixed_lines(const std::string& prefix, const std::vector<std::string>& texts) {
  std::string lines;
  for (const std::string& text : texts) lines += prefix + text + "\n";
  return lines;
}

std::string csv_text(const TextTable& table) {
  std::string out;
  for (std::size_t j = 0; j < table.columns.size(); ++j) {
    out += (j == 0 ? "" : ",") + csv_value(table.columns[j]);
  }
  out += "\n";
  for (const TextRow& row : table.rows) {
    for (std::size_t j = 0; j < row.size(); ++j) out += (j == 0 ? "" : ",") + csv_value(row[j].text);
    out += "\n";
  }
  return out;
}

}  // namespace harness

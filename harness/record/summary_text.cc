#include "harness/record/summary_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <map>

namespace harness {
namespace {

struct Cell {
  std::string text;
  bool number = false;
};
using Row = std::vector<Cell>;

std::string shortest(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return std::string(text, end);
}

std::string rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

Cell cell_of(const SummaryRow::ColumnPointer& pointer, bool full_precision) {
  if (const auto* text = std::get_if<std::string*>(&pointer)) return {**text, false};
  if (const auto* real = std::get_if<double*>(&pointer)) {
    if (std::isnan(**real)) return {"", true};
    return {full_precision ? shortest(**real) : rounded(**real), true};
  }
  if (const auto* count = std::get_if<std::uint64_t*>(&pointer)) return {std::to_string(**count), true};
  return {std::to_string(*std::get<std::uint32_t*>(pointer)), true};
}

Row cells_of(SummaryRow& row, const std::vector<std::string>& columns, bool full_precision) {
  std::map<std::string, Cell> by_name;
  row.list([&](const char* name, const char*, SummaryRow::ColumnPointer pointer) {
    by_name[name] = cell_of(pointer, full_precision);
  });
  Row cells;
  for (const std::string& column : columns) cells.push_back(by_name.at(column));
  return cells;
}

std::string json_text(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned char>(c));
      quoted += escaped;
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

/// JSON has no infinities and no NaN.
std::string json_value(const Cell& cell) {
  if (!cell.number) return json_text(cell.text);
  const bool finite = !cell.text.empty() && cell.text.find_first_of("ain") == std::string::npos;
  return finite ? cell.text : "null";
}

std::string csv_value(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

void append_aligned(std::string& out, const Row& row, const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::string space(widths[i] - row[i].text.size(), ' ');
    line += (i == 0 ? "" : "  ") + (row[i].number ? space + row[i].text : row[i].text + space);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  out += line + "\n";
}

/// A cell that did not run has no results: a zero would look measured.
void hide_results(Row& cells, const std::vector<std::string>& columns) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string& name = columns[i];
    const bool given = name == "cell" || name == "load" || name == "seed" || name == "slo_ms";
    if (cells[i].number && !given) cells[i].text = "-";
  }
}

}  // namespace

std::vector<std::string> summary_columns() {
  std::vector<std::string> names;
  SummaryRow row;
  row.list([&](const char* name, const char*, SummaryRow::ColumnPointer) { names.emplace_back(name); });
  return names;
}

std::vector<std::string> usual_columns(const std::vector<SummaryRow>& rows) {
  const auto any = [&](auto test) { return std::any_of(rows.begin(), rows.end(), test); };
  std::vector<std::string> names = {"system", "variant", "pipeline", "trace", "load", "seed", "runtime"};
  if (any([](const SummaryRow& row) { return !row.cell.parameters.empty(); })) {
    names.emplace_back("parameters");
  }
  const bool any_not_ok = any([](const SummaryRow& row) { return row.status != "ok"; });
  if (any_not_ok) names.emplace_back("status");
  for (const char* name : {"slo_ms", "sent", "in_time", "late", "dropped", "unfinished", "goodput_rps",
                           "drop_rate", "invalid_rate", "latency_ms_p50", "latency_ms_p99", "fluid_bound_rps",
                           "bound_share", "sim_requests_per_s", "fingerprint"}) {
    names.emplace_back(name);
  }
  if (any_not_ok) names.emplace_back("why");
  return names;
}

std::string summary_table(std::vector<SummaryRow> rows, const std::vector<std::string>& columns) {
  std::vector<Row> lines;
  for (SummaryRow& row : rows) {
    lines.push_back(cells_of(row, columns, false));
    if (row.status == "skipped") hide_results(lines.back(), columns);
    for (Cell& cell : lines.back()) {
      if (cell.text.empty()) cell.text = "-";
    }
  }
  Row header;
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    header.push_back({columns[i], !lines.empty() && lines.front()[i].number});
    widths.push_back(columns[i].size());
    for (const Row& line : lines) widths[i] = std::max(widths[i], line[i].text.size());
  }
  std::string out;
  append_aligned(out, header, widths);
  for (const Row& line : lines) append_aligned(out, line, widths);
  return out;
}

std::string summary_json(std::vector<SummaryRow> rows, const std::vector<std::string>& columns) {
  std::string out = "[";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row cells = cells_of(rows[i], columns, true);
    out += i == 0 ? "\n  {" : ",\n  {";
    for (std::size_t j = 0; j < cells.size(); ++j) {
      out += (j == 0 ? "" : ", ") + json_text(columns[j]) + ": " + json_value(cells[j]);
    }
    out += "}";
  }
  return out + (rows.empty() ? "]\n" : "\n]\n");
}

std::string summary_csv(std::vector<SummaryRow> rows, const std::vector<std::string>& columns) {
  std::string out;
  for (std::size_t j = 0; j < columns.size(); ++j) out += (j == 0 ? "" : ",") + csv_value(columns[j]);
  out += "\n";
  for (SummaryRow& row : rows) {
    const Row cells = cells_of(row, columns, true);
    for (std::size_t j = 0; j < cells.size(); ++j) out += (j == 0 ? "" : ",") + csv_value(cells[j].text);
    out += "\n";
  }
  return out;
}

}  // namespace harness

#include "harness/record/summary_text.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <type_traits>

#include "harness/record/text_table.h"

namespace harness {
namespace {

template <class Value>
TextCell cell_of(const Value& value, bool full_precision) {
  if constexpr (std::is_same_v<Value, std::string>)
    return {value, false};
  else if constexpr (std::is_same_v<Value, double>)
    return number_cell(value, full_precision);
  else
    return {std::to_string(value), true};
}

TextRow cells_of(const SummaryRow& row, const std::vector<std::string>& columns, bool full_precision) {
  std::map<std::string, TextCell> by_name;
  SummaryRow::list(
      row, [&](const char* name, const auto& value) { by_name[name] = cell_of(value, full_precision); });
  TextRow cells;
  for (const std::string& column : columns) cells.push_back(by_name.at(column));
  return cells;
}

/// A cell that did not run has no results: a zero would look measured.
void hide_results(TextRow& cells, const std::vector<std::string>& columns) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string& name = columns[i];
    const bool given = name == "cell" || name == "load" || name == "seed" || name == "slo_ms";
    if (cells[i].number && !given) cells[i].text = "-";
  }
}

TextTable full_table(const std::vector<SummaryRow>& rows, const std::vector<std::string>& columns) {
  TextTable table{columns, {}};
  for (const SummaryRow& row : rows) table.rows.push_back(cells_of(row, columns, true));
  return table;
}

}  // namespace

std::vector<std::string> summary_columns() {
  std::vector<std::string> names;
  const SummaryRow row;
  SummaryRow::list(row, [&](const char* name, const auto&) { names.emplace_back(name); });
  return names;
}

std::vector<std::string> usual_columns(const std::vector<SummaryRow>& rows) {
  const auto any = [&](auto test) { return std::any_of(rows.begin(), rows.end(), test); };
  std::vector<std::string> names = {"system", "variant", "pipeline", "trace", "load", "seed", "runtime"};
  if (any([](const SummaryRow& row) { return !row.cell.answers.empty(); })) names.emplace_back("answers");
  if (any([](const SummaryRow& row) { return !row.cell.parameters.empty(); })) {
    names.emplace_back("parameters");
  }
  const bool any_not_ok = any([](const SummaryRow& row) { return row.status != "ok"; });
  if (any_not_ok) names.emplace_back("status");
  for (const char* name : {"slo_ms", "sent", "in_time", "late", "dropped", "unfinished", "goodput_rps",
                           "drop_rate", "invalid_rate"})
    names.emplace_back(name);
  if (any([](const SummaryRow& row) { return !std::isnan(row["accuracy"]); })) names.emplace_back("accuracy");
  if (any([](const SummaryRow& row) { return !std::isnan(row["path_violation_rate"]); }))
    names.emplace_back("path_violation_rate");
  for (const char* name : {"latency_ms_p50", "latency_ms_p99", "fluid_bound_rps", "bound_share",
                           "sim_requests_per_s", "fingerprint"})
    names.emplace_back(name);
  if (any_not_ok || any([](const SummaryRow& row) { return !row.why.empty(); })) names.emplace_back("why");
  return names;
}

std::string summary_table(const std::vector<SummaryRow>& rows, const std::vector<std::string>& columns) {
  TextTable table{columns, {}};
  for (const SummaryRow& row : rows) {
    table.rows.push_back(cells_of(row, columns, false));
    if (row.status != "ok" && row.sent == 0) hide_results(table.rows.back(), columns);
  }
  return aligned_text(table);
}

std::string summary_json(const std::vector<SummaryRow>& rows, const std::vector<std::string>& columns) {
  return json_text(full_table(rows, columns));
}

std::string summary_csv(const std::vector<SummaryRow>& rows, const std::vector<std::string>& columns) {
  return csv_text(full_table(rows, columns));
}

}  // namespace harness

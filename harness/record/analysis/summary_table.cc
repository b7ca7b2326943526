#include "harness/record/analysis/summary_table.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace harness {
namespace {

/// True for the numbers that even a cell that did not run has. A zero in another column would look measured.
bool is_given(const std::string& column) {
  return column == "cell" || column == "load" || column == "seed" || column == "slo_ms";
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
  std::vector<std::string> names = {"cell",  "system", "variant", "pipeline",
                                    "trace", "load",   "seed",    "runtime"};
  if (any([](const SummaryRow& row) { return !row.cell.answers.empty(); })) names.emplace_back("answers");
  if (any([](const SummaryRow& row) { return !row.cell.parameters.empty(); })) {
    names.emplace_back("parameters");
  }
  const bool any_not_ok = any([](const SummaryRow& row) { return row.status != "ok"; });
  if (any_not_ok) names.emplace_back("status");
  for (const char* name : {"slo_ms", "sent", "in_time", "late", "dropped", "unfinished", "goodput_rps",
                           "drop_rate", "invalid_rate"})
    names.emplace_back(name);
  if (any([](const SummaryRow& row) { return row.measured_from_s > 0; }))
    names.emplace_back("measured_from_s");
  if (any([](const SummaryRow& row) { return row.queue_trend == "growing" || row.queue_trend == "unclear"; }))
    names.emplace_back("queue_trend");
  if (any([](const SummaryRow& row) { return !std::isnan(row["accuracy"]); })) names.emplace_back("accuracy");
  if (any([](const SummaryRow& row) { return !std::isnan(row["path_violation_rate"]); }))
    names.emplace_back("path_violation_rate");
  for (const char* name : {"latency_ms_p50", "latency_ms_p99", "fluid_bound_rps", "bound_share",
                           "sim_requests_per_s", "fingerprint"})
    names.emplace_back(name);
  if (any_not_ok || any([](const SummaryRow& row) { return !row.why.empty(); })) names.emplace_back("why");
  return names;
}

TextTable summary_table(const std::vector<SummaryRow>& rows, const std::vector<std::string>& columns) {
  TextTable table;
  for (const std::string& column : columns) table.columns.push_back({column});
  for (const SummaryRow& row : rows) {
    std::map<std::string, TextCell> cells;
    SummaryRow::list(row, [&](const char* name, const auto& value) { cells[name] = cell_of(value); });
    const bool has_results = row.status == "ok" || row.sent > 0;
    table.add_row();
    for (const std::string& column : columns) {
      TextCell& cell = table.rows.back().emplace_back(cells.at(column));
      if (cell.is_number && !has_results && !is_given(column)) cell.shown.clear();
    }
  }
  return table;
}

}  // namespace harness

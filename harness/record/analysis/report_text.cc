#include "harness/record/analysis/report_text.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/core/error.h"
#include "harness/record/analysis/text_table.h"

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

std::string numbered(const std::vector<std::uint32_t>& cells, std::size_t named) {
  std::string text = cells.size() == 1 ? "cell " : "cells ";
  for (std::size_t i = 0; i < std::min(cells.size(), named); ++i) {
    const bool is_last = i + 1 == cells.size();
    text += (i == 0 ? "" : is_last ? " and " : ", ") + std::to_string(cells[i]);
  }
  return cells.size() > named ? text + " and " + std::to_string(cells.size() - named) + " more" : text;
}

namespace {

/// Returns the cells whose queue_trend is `trend`, and the series that they belong to: "naive, pard/back".
std::pair<std::vector<std::uint32_t>, std::string> cells_with(const std::vector<SummaryRow>& rows,
                                                              const char* trend) {
  std::vector<std::uint32_t> cells;
  std::vector<std::string> series;
  for (const SummaryRow& row : rows) {
    if (row.queue_trend != trend) continue;
    cells.push_back(row.cell.index);
    if (std::find(series.begin(), series.end(), row.cell.series) == series.end())
      series.push_back(row.cell.series);
  }
  constexpr std::size_t kNamed = 4;
  const std::size_t more = series.size() - std::min(series.size(), kNamed);
  series.resize(series.size() - more);
  return {cells, join_names(series) + (more > 0 ? " and " + std::to_string(more) + " more" : "")};
}

}  // namespace

std::vector<std::string> length_notes(const std::vector<SummaryRow>& rows) {
  constexpr std::size_t kNamed = 3;
  std::vector<std::string> notes;
  if (rows.empty()) return notes;
  const auto [least, most] = std::ranges::minmax_element(rows, {}, &SummaryRow::measured_from_s);
  const double shortest_s = least->measured_from_s;
  const double longest_s = most->measured_from_s;
  if (longest_s > 0) {
    const std::string from = shortest_s < longest_s ? number_text(shortest_s) + " to " : "";
    notes.push_back("requests sent in the first " + from + number_text(longest_s) +
                    " s are not counted (workload.measure_from_s)");
  }
  if (const auto [cells, series] = cells_with(rows, "growing"); !cells.empty()) {
    notes.push_back("overload: " + numbered(cells, kNamed) + " (" + series + ") depend" +
                    (cells.size() == 1 ? "s" : "") +
                    " on the length of the run: the queue still grew (queue_trend)");
  }
  if (const auto [cells, series] = cells_with(rows, "unclear"); !cells.empty()) {
    notes.push_back(numbered(cells, kNamed) + " (" + series +
                    "): the run is too short, or its load too varied, to tell whether the queue still grew "
                    "(queue_trend)");
  }
  return notes;
}

namespace {

std::string remark_of(const MetricChange& change) {
  if (!change.lost.empty()) return change.lost.front() + " (no value any more)";
  if (change.difference.n == 0 && !change.gained.empty())
    return change.gained.front() + " (a value only now)";
  return change.worst_cell;
}

TextTable table_of(const std::vector<MetricChange>& changes) {
  TextTable table;
  for (const MetricChange& change : changes) {
    const ComparedMetric& metric = change.metric;
    const Spread& difference = change.difference;
    table.add_row();
    table.add({"system"}, change.series);
    table.add({"metric"}, metric.name);
    table.add({"better", ""}, name_of(metric.better));
    table.add({"cells"}, difference.n);
    table.add({"base"}, change.base, value_text(metric, change.base));
    table.add({"now"}, change.now, value_text(metric, change.now));
    table.add({"difference"}, difference.mean, difference_text(metric, difference.mean, true));
    table.add({"difference_95", "+-"}, difference.half_width,
              difference_text(metric, difference.half_width, false));
    table.add({"worst"}, change.worst, change_text(metric, change.worst));
    add_tolerance(table, metric);
    table.add({"verdict"}, name_of(change.verdict));
    table.add({"worst_cell", "worst cell"}, remark_of(change));
  }
  return table;
}

std::vector<std::string> texts_of(const std::vector<StatusChange>& changes) {
  std::vector<std::string> texts;
  for (const StatusChange& change : changes) texts.push_back(change.key.name() + ": " + change.text);
  return texts;
}

std::string fingerprints_text(const Comparison& comparison) {
  if (comparison.simulated == 0) return "";
  return std::to_string(comparison.same_fingerprint) + " of " +
         counted(comparison.simulated, "simulated cell") +
         (comparison.same_fingerprint == 1 ? " has" : " have") + " the same fingerprint\n";
}

std::string counts_text(const Comparison& comparison) {
  std::string text = counted(comparison.pairs, "cell") + " compared";
  if (comparison.idle > 0)
    text += ", " + std::to_string(comparison.idle) + " of them skipped or invalid in both";
  text += ": " + counted(comparison.regressions(), "regression") + ", " +
          std::to_string(comparison.better()) + " better";
  if (!comparison.problems.empty())
    text += "; not comparable in " + counted(comparison.problems.size(), "respect");
  return text + "\n";
}

/// Returns the half-range; if the tolerance is relative, in per cent of the simulated value.
std::string half_range_text(const FidelityRow& row) {
  std::string text = change_text(row.metric, row.as_change(row.half_range));
  if (text.starts_with('+')) text.erase(0, 1);
  return text;
}

TextTable table_of(const std::vector<FidelityRow>& rows) {
  TextTable table;
  for (const FidelityRow& row : rows) {
    const CellKey& cell = row.cell;
    const ComparedMetric& metric = row.metric;
    table.add_row();
    table.add({"system"}, cell.system, cell.series_and_runtime());
    table.add({"variant", ""}, cell.variant);
    table.add({"runtime", ""}, cell.runtime);
    table.add({"pipeline", ""}, cell.pipeline);
    table.add({"trace", ""}, cell.trace);
    table.add({"load", ""}, cell.load);
    table.add({"slo_ms", ""}, cell.slo_ms);
    table.add({"seed", ""}, cell.seed);
    table.add({"parameters", ""}, cell.parameters);
    table.add({"", "workload"}, cell.workload_and_seed());
    table.add({"metric"}, metric.name);
    table.add({"runs"}, row.runs);
    table.add({"simulated"}, row.simulated, value_text(metric, row.simulated));
    table.add({"live"}, row.live, value_text(metric, row.live));
    table.add({"difference"}, row.difference, change_text(metric, row.as_change(row.difference)));
    table.add({"half_range", "half-range"}, row.half_range, half_range_text(row));
    add_tolerance(table, metric);
    table.add({"verdict"}, name_of(row.verdict));
  }
  return table;
}

std::string counted(const Fidelity& fidelity, FidelityVerdict verdict) {
  return std::to_string(fidelity.count_of(verdict)) + " " + name_of(verdict);
}

}  // namespace

std::string comparison_table(const Comparison& comparison) {
  std::string more = prefixed_lines("regression: ", texts_of(comparison.stopped)) +
                     prefixed_lines("better: ", texts_of(comparison.resumed)) +
                     prefixed_lines("same fingerprint, other metrics: ", comparison.recomputed) +
                     prefixed_lines("other setting: ", comparison.settings) +
                     prefixed_lines("not comparable: ", comparison.problems);
  if (!more.empty()) more += "\n";
  const std::string table =
      comparison.metrics.empty() ? "" : aligned_text(table_of(comparison.metrics)) + "\n";
  return table + more + fingerprints_text(comparison) + counts_text(comparison);
}

std::string comparison_json(const Comparison& comparison) {
  JsonObject object;
  object.add("cells", comparison.pairs);
  object.add("simulated", comparison.simulated);
  object.add("same_fingerprint", comparison.same_fingerprint);
  object.add("regressions", comparison.regressions());
  object.add("better", comparison.better());
  object.add("stopped", texts_of(comparison.stopped));
  object.add("resumed", texts_of(comparison.resumed));
  object.add("recomputed", comparison.recomputed);
  object.add("settings", comparison.settings);
  object.add("not_comparable", comparison.problems);
  object.add("metrics", Json{json_text(table_of(comparison.metrics))});
  return object.json(",\n").text + "\n";
}

std::string comparison_junit(const Comparison& comparison) {
  std::vector<JUnitCase> cases;
  for (const std::string& problem : comparison.problems)
    cases.push_back(
        {"cells", problem.substr(0, problem.rfind(": ")), JUnitCase::Result::kError, problem, ""});
  for (const StatusChange& change : comparison.stopped)
    cases.push_back({change.key.series_and_runtime(), change.key.workload_and_seed(),
                     JUnitCase::Result::kFailed, change.text, ""});
  for (const StatusChange& change : comparison.resumed)
    cases.push_back({change.key.series_and_runtime(), change.key.workload_and_seed(),
                     JUnitCase::Result::kPassed, "", change.text});
  for (const MetricChange& change : comparison.metrics) {
    const bool failed = change.verdict == ChangeVerdict::kRegression;
    const ComparedMetric& metric = change.metric;
    const std::string remark = remark_of(change);
    const std::string figures = value_text(metric, change.base) + ", now " + value_text(metric, change.now) +
                                "; worst " + change_text(metric, change.worst) + " (tolerance " +
                                tolerance_text(metric) + ")" + (remark.empty() ? "" : " in " + remark);
    cases.push_back({change.series, metric.name,
                     failed ? JUnitCase::Result::kFailed : JUnitCase::Result::kPassed,
                     std::string(name_of(change.verdict)) + ": " + figures, figures});
  }
  return junit_text("compare", cases);
}

std::string fidelity_table(const Fidelity& fidelity) {
  std::string more =
      prefixed_lines("not ok: ", fidelity.invalid) + prefixed_lines("not comparable: ", fidelity.alone);
  if (!more.empty()) more += "\n";
  const std::string table = fidelity.rows.empty() ? "" : aligned_text(table_of(fidelity.rows)) + "\n";
  return table + more + counted(fidelity.rows.size(), "comparison") + ": " +
         counted(fidelity, FidelityVerdict::kWithin) + " their tolerance, " +
         counted(fidelity, FidelityVerdict::kBeyond) + ", " + counted(fidelity, FidelityVerdict::kInvalid) +
         "\n";
}

std::string fidelity_json(const Fidelity& fidelity, const TextTable* slowdowns) {
  JsonObject object;
  if (slowdowns != nullptr) object.add("slowdown", Json{json_text(*slowdowns)});
  for (const FidelityVerdict verdict :
       {FidelityVerdict::kWithin, FidelityVerdict::kBeyond, FidelityVerdict::kInvalid})
    object.add(name_of(verdict), fidelity.count_of(verdict));
  object.add("not_ok", fidelity.invalid);
  object.add("not_comparable", fidelity.alone);
  object.add("rows", Json{json_text(table_of(fidelity.rows))});
  return object.json(",\n").text + "\n";
}

std::string fidelity_junit(const Fidelity& fidelity) {
  std::vector<JUnitCase> cases;
  for (const std::string& cell : fidelity.alone)
    cases.push_back({"cells", cell.substr(0, cell.rfind(": ")), JUnitCase::Result::kError, cell, ""});
  for (const FidelityRow& row : fidelity.rows) {
    const bool failed = row.verdict != FidelityVerdict::kWithin;
    const std::string figures = "simulated " + value_text(row.metric, row.simulated) + ", live " +
                                value_text(row.metric, row.live) + ", difference " +
                                change_text(row.metric, row.as_change(row.difference)) + ", half-range " +
                                half_range_text(row) + " of " + counted(row.runs, "run") + " (tolerance " +
                                tolerance_text(row.metric) + ")";
    cases.push_back({row.cell.series_and_runtime() + "." + row.metric.name, row.cell.workload_and_seed(),
                     failed ? JUnitCase::Result::kFailed : JUnitCase::Result::kPassed,
                     std::string(name_of(row.verdict)) + ": " + figures, figures});
  }
  return junit_text("fidelity", cases);
}

}  // namespace harness

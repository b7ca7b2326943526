#include "harness/record/comparison_text.h"

#include "harness/core/error.h"
#include "harness/record/json_text.h"
#include "harness/record/junit_text.h"
#include "harness/record/metric_text.h"
#include "harness/record/text_table.h"

namespace harness {
namespace {

std::string remark_of(const MetricChange& change) {
  if (!change.lost.empty()) return change.lost.front() + " (no value any more)";
  return change.worst_cell;
}

TextTable table_of(const std::vector<MetricChange>& changes) {
  TextTable table{{"system", "metric", "cells", "base", "now", "difference", "+-", "worst", "tolerance",
                   "verdict", "worst cell"},
                  {}};
  for (const MetricChange& change : changes) {
    const ComparedMetric& metric = change.metric;
    table.rows.push_back({{change.series},
                          {metric.name},
                          number_cell(static_cast<double>(change.difference.n), false),
                          {value_text(metric, change.base), true},
                          {value_text(metric, change.now), true},
                          {difference_text(metric, change.difference.mean, true), true},
                          {difference_text(metric, change.difference.half_width, false), true},
                          {change_text(metric, change.worst), true},
                          {tolerance_text(metric), true},
                          {name_of(change.verdict)},
                          {remark_of(change)}});
  }
  return table;
}

TextTable full_table_of(const std::vector<MetricChange>& changes) {
  TextTable table{{"system", "metric", "better", "cells", "base", "now", "difference", "difference_95",
                   "worst", "tolerance", "tolerance_kind", "verdict", "worst_cell"},
                  {}};
  for (const MetricChange& change : changes) {
    table.rows.push_back({{change.series},
                          {change.metric.name},
                          {name_of(change.metric.better)},
                          number_cell(static_cast<double>(change.difference.n), true),
                          number_cell(change.base, true),
                          number_cell(change.now, true),
                          number_cell(change.difference.mean, true),
                          number_cell(change.difference.half_width, true),
                          number_cell(change.worst, true),
                          number_cell(change.metric.tolerance.value, true),
                          {change.metric.tolerance.relative ? "relative" : "absolute"},
                          {name_of(change.verdict)},
                          {remark_of(change)}});
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
  std::string out = "{";
  const auto count = [&](const char* name, std::size_t value) {
    out += json_string(name) + ": " + std::to_string(value) + ",\n";
  };
  count("cells", comparison.pairs);
  count("simulated", comparison.simulated);
  count("same_fingerprint", comparison.same_fingerprint);
  count("regressions", comparison.regressions());
  count("better", comparison.better());
  out += "\"stopped\": " + json_strings(texts_of(comparison.stopped)) + ",\n";
  out += "\"resumed\": " + json_strings(texts_of(comparison.resumed)) + ",\n";
  out += "\"recomputed\": " + json_strings(comparison.recomputed) + ",\n";
  out += "\"settings\": " + json_strings(comparison.settings) + ",\n";
  out += "\"not_comparable\": " + json_strings(comparison.problems) + ",\n";
  std::string metrics = json_text(full_table_of(comparison.metrics));
  metrics.pop_back();  // the end of the line
  return out + "\"metrics\": " + metrics + "}\n";
}

std::string comparison_junit(const Comparison& comparison) {
  std::vector<JUnitCase> cases;
  for (const std::string& problem : comparison.problems)
    cases.push_back(
        {"cells", problem.substr(0, problem.rfind(": ")), JUnitCase::Result::kError, problem, ""});
  for (const StatusChange& change : comparison.stopped)
    cases.push_back(
        {change.key.series(), change.key.workload(), JUnitCase::Result::kFailed, change.text, ""});
  for (const StatusChange& change : comparison.resumed)
    cases.push_back(
        {change.key.series(), change.key.workload(), JUnitCase::Result::kPassed, "", change.text});
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

}  // namespace harness

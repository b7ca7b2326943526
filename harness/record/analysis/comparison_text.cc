#include "harness/record/analysis/comparison_text.h"

#include "harness/core/wording.h"
#include "harness/text/json.h"
#include "harness/text/junit_text.h"
#include "harness/text/text_table.h"

namespace harness {
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

}  // namespace harness

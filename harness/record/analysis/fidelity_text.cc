#include "harness/record/analysis/fidelity_text.h"

#include <vector>

#include "harness/core/wording.h"
#include "harness/text/json.h"
#include "harness/text/junit_text.h"

namespace harness {
namespace {

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

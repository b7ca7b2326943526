#include "harness/record/fidelity_text.h"

#include "harness/core/error.h"
#include "harness/record/json_text.h"
#include "harness/record/junit_text.h"
#include "harness/record/metric_text.h"
#include "harness/record/text_table.h"

namespace harness {
namespace {

/// Of a relative tolerance in per cent of the simulated value.
std::string half_range_text(const FidelityRow& row) {
  std::string text = change_text(row.metric, row.as_change(row.half_range));
  if (text.starts_with('+')) text.erase(0, 1);
  return text;
}

TextTable table_of(const std::vector<FidelityRow>& rows) {
  TextTable table{{"system", "workload", "metric", "runs", "simulated", "live", "difference", "half-range",
                   "tolerance", "verdict"},
                  {}};
  for (const FidelityRow& row : rows) {
    table.rows.push_back({{row.cell.series()},
                          {row.cell.workload()},
                          {row.metric.name},
                          number_cell(static_cast<double>(row.runs), false),
                          {value_text(row.metric, row.simulated), true},
                          {value_text(row.metric, row.live), true},
                          {change_text(row.metric, row.as_change(row.difference)), true},
                          {half_range_text(row), true},
                          {tolerance_text(row.metric), true},
                          {name_of(row.verdict)}});
  }
  return table;
}

TextTable full_table_of(const std::vector<FidelityRow>& rows) {
  TextTable table{
      {"system", "variant", "runtime", "pipeline", "trace", "load", "slo_ms", "seed", "parameters", "metric",
       "runs", "simulated", "live", "difference", "half_range", "tolerance", "tolerance_kind", "verdict"},
      {}};
  for (const FidelityRow& row : rows) {
    const CellKey& cell = row.cell;
    table.rows.push_back({{cell.system},
                          {cell.variant},
                          {cell.runtime},
                          {cell.pipeline},
                          {cell.trace},
                          number_cell(cell.load, true),
                          number_cell(cell.slo_ms, true),
                          {std::to_string(cell.seed), true},
                          {cell.parameters},
                          {row.metric.name},
                          number_cell(static_cast<double>(row.runs), true),
                          number_cell(row.simulated, true),
                          number_cell(row.live, true),
                          number_cell(row.difference, true),
                          number_cell(row.half_range, true),
                          number_cell(row.metric.tolerance.value, true),
                          {row.metric.tolerance.relative ? "relative" : "absolute"},
                          {name_of(row.verdict)}});
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

std::string fidelity_json(const Fidelity& fidelity, const std::string& more) {
  std::string out = "{" + more;
  for (const FidelityVerdict verdict :
       {FidelityVerdict::kWithin, FidelityVerdict::kBeyond, FidelityVerdict::kInvalid})
    out += json_string(name_of(verdict)) + ": " + std::to_string(fidelity.count_of(verdict)) + ",\n";
  out += "\"not_ok\": " + json_strings(fidelity.invalid) + ",\n";
  out += "\"not_comparable\": " + json_strings(fidelity.alone) + ",\n";
  std::string rows = json_text(full_table_of(fidelity.rows));
  rows.pop_back();  // the end of the line
  return out + "\"rows\": " + rows + "}\n";
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
    cases.push_back({row.cell.series() + "." + row.metric.name, row.cell.workload(),
                     failed ? JUnitCase::Result::kFailed : JUnitCase::Result::kPassed,
                     std::string(name_of(row.verdict)) + ": " + figures, figures});
  }
  return junit_text("fidelity", cases);
}

}  // namespace harness

// Rows of /summary for tests of comparisons.
#pragma once

#include <string>
#include <vector>

#include "harness/core/param_list.h"
#include "harness/record/run/series.h"

namespace harness {

using Rows = std::vector<SummaryRow>;

/// Returns the row with the columns series and workload filled; parameters that begin with its system's name
/// count as swept for it alone.
inline SummaryRow grouped(SummaryRow row) {
  std::string swept;
  std::string shared;
  for (const auto& [key, value] : parameters_of(row.cell)) {
    std::string& text = key.starts_with(row.cell.system + ".") ? swept : shared;
    text += (text.empty() ? "" : " ") + key + "=" + value;
  }
  row.cell.series = series_text(row.cell, swept);
  row.cell.workload =
      workload_text(row.cell, "load " + text_of(row.cell.load), "slo " + text_of(row.slo_ms) + " ms", shared);
  return row;
}

/// Returns a cell of the pipeline lv under the trace tweet, with an SLO of 500 ms.
inline SummaryRow test_row(const std::string& system, const std::string& parameters = "",
                           std::uint64_t seed = 1) {
  SummaryRow row;
  row.cell.system = system;
  row.cell.variant = "default";
  row.cell.pipeline = "lv";
  row.cell.trace = "tweet";
  row.cell.load = 1;
  row.cell.seed = seed;
  row.cell.parameters = parameters;
  row.slo_ms = 500;
  return grouped(row);
}

/// Returns a cell of 10 s and 1,000 requests, of which `in_time` were completed in time and the others
/// dropped.
inline SummaryRow test_cell(const std::string& system, double in_time, double load = 1,
                            const std::string& parameters = "") {
  SummaryRow row = test_row(system, parameters);
  row.cell.load = load;
  row.workers = 64;
  row.duration_s = 10;
  row.sent = 1000;
  row["offered_rps"] = 100;
  row.in_time = static_cast<std::uint64_t>(in_time);
  row["goodput_rps"] = in_time / 10;
  row["slo_attainment"] = in_time / 1000;
  row["drop_rate"] = (1000 - in_time) / 1000;
  row["invalid_rate"] = 0;
  row["latency_ms_p50"] = 100;
  row["latency_ms_p99"] = 400;
  return grouped(row);
}

/// Returns the same on the emulated runtime.
inline SummaryRow live_cell(const std::string& system, double in_time, const std::string& parameters) {
  SummaryRow row = test_cell(system, in_time, 1, parameters);
  row.cell.runtime = "emulated";
  return grouped(row);
}

}  // namespace harness

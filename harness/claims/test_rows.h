// Rows of results for tests.
#pragma once

#include <string>

#include "harness/record/summary.h"

namespace harness {

inline SummaryRow test_row(const std::string& system, double drop_rate, double goodput_rps,
                           const std::string& parameters = "", std::uint64_t seed = 1) {
  SummaryRow row;
  row.cell.system = system;
  row.cell.variant = "default";
  row.cell.pipeline = "lv";
  row.cell.trace = "tweet";
  row.cell.load = 1;
  row.cell.seed = seed;
  row.cell.parameters = parameters;
  row.slo_ms = 500;
  row["drop_rate"] = drop_rate;
  row["goodput_rps"] = goodput_rps;
  return row;
}

}  // namespace harness

// A cell as CellFactory has made it concrete.
#pragma once

#include <string>
#include <vector>

#include "harness/core/types.h"
#include "harness/experiment/reading/cell.h"
#include "harness/record/run/summary_row.h"
#include "harness/serving/plan.h"

namespace harness {

/// A cell, checked and planned.
struct PreparedCell {
  CellIdentity identity;
  std::vector<std::string> module_names;
  std::string why;  ///< reason why it cannot run (the planner cannot meet the SLO); empty: it can
  Cell cell;
  Settings settings;
  TimeNs slo_ns = 0;
  Plan plan;                    ///< initial plan
  bool plan_is_shared = false;  ///< true: the shared planner made the plan
  double capacity_rps = 0;      ///< capacity of that plan
  double reference_rps = 0;     ///< capacity that loads are relative to; 0: its plan cannot meet the SLO
  double overload_rps = 0;      ///< reference_rps if the plan behind it keeps its workers, else 0
  double target_rps = 0;        ///< rate that arrivals are scaled to; 0: recorded times as they are
  double offered_rps = 0;       ///< expected requests / duration
  double duration_s = 0;
  double expected_requests = 0;
  double recorded_peak_over_mean = kNoValue;  ///< peak / mean in the window of a recorded trace (LoadFacts)
  double sent_peak_over_mean = kNoValue;      ///< peak / mean of the rate at which requests are sent
  double visits_per_request = 1;  ///< expected number; a lower bound if requests choose modules or variants
  std::string arrivals_text;      ///< text that is equal for cells with the same arrivals
};

/// Returns true if the cell runs in wall-clock time on all ranks.
inline bool is_live(const PreparedCell& cell) { return cell.cell.runtime != Runtime::kSimulated; }

}  // namespace harness

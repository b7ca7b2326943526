// A made-up run for tests of files and figures: a chain of batching modules under a load with bursts. Its
// accounting is closed.
#pragma once

#include <string>
#include <vector>

#include "harness/record/run/request_row.h"
#include "harness/record/run/run_record.h"
#include "harness/record/run/summary_row.h"
#include "harness/record/run/visit_row.h"

namespace harness {

struct SyntheticSettings {
  CellIdentity cell;
  std::size_t modules = 3;
  std::size_t workers = 4;  ///< number of workers of each module
  std::size_t batch = 8;    ///< largest batch
  double seconds = 20;
  double mean_rps = 400;
  double patience = 1;  ///< share of the SLO after which a visit is dropped
  TimeNs slo_ns = 500 * kNsPerMs;
  double accuracy = 0;  ///< accuracy of each module's last worker (the others have 1); 0: no accuracies
  double jitter = 0.1;  ///< half-width of the uniform execution jitter
};

struct SyntheticRun {
  SummaryRow summary;
  RunRecord record;
  std::vector<std::string> module_names;
  std::vector<RequestRow> requests;
  std::vector<VisitRow> visits;
};

/// Returns the run for these settings, always the same for the same settings. If the runtime is not simulated
/// it also has the data that only live runs have.
SyntheticRun synthetic_run(const SyntheticSettings& settings);

/// Writes the run's cell file, with its rows in pieces of odd sizes if `rows` is set.
void write_synthetic_cell(const std::string& path, const SyntheticRun& run, bool rows);

}  // namespace harness

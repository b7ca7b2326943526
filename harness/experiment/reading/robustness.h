// [robustness]: the other settings in which `harness robust` runs the experiment.
#pragma once

#include "harness/experiment/reading/experiment_spec.h"
#include "workloads/files/table_reader.h"

namespace harness {

inline constexpr const char* kRobustnessKey = "robustness";
/// The key in which `harness robust` writes what it has not tried, and why, for readers of the results.
inline constexpr const char* kLeftOutKey = "left_out";

/// Reads [robustness], if the file has it. The rest of the experiment must have been read. Throws InputError,
/// also for a value that the experiment's key may not have.
void read_robustness(const TableReader& document, ExperimentSpec& spec);

}  // namespace harness

// Reads the tables [[system]] of an experiment file.
#pragma once

#include "harness/experiment/reading/experiment_spec.h"
#include "harness/files/table_reader.h"

namespace harness {

/// The key of the shared library that a system comes with.
inline constexpr const char* kLibraryKey = "library";
/// The key of the system by whose plans a system serves.
inline constexpr const char* kPlannerKey = "planner";
inline constexpr const char* kPlannerParamsKey = "planner_params";

/// Fills `spec.systems`; `spec.workload` must have been read. Throws InputError.
void read_systems(const TableReader& document, ExperimentSpec& spec);

}  // namespace harness

// Reads the [[system]] tables of an experiment file.
#pragma once

#include "harness/experiment/experiment_spec.h"
#include "workloads/table_reader.h"

namespace harness {

/// Fills `spec.systems`; `spec.workload` has been read. Throws InputError.
void read_systems(const TableReader& document, ExperimentSpec& spec);

}  // namespace harness

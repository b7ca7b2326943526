// [[fault]] tables of an experiment file.
#pragma once

#include <string>
#include <vector>

#include "harness/experiment/table_reader.h"

namespace harness {

/// Reads them as far as they can be checked without knowing the cluster. Throws InputError.
void read_faults(const TableReader& document, ExperimentSpec& spec);

/// Throws InputError unless every GPU that a fault names is one of the cluster's `workers`.
void check_faults(const std::vector<FaultAt>& faults, int workers);

/// The faults as [[fault]] tables, which read back as the same.
std::string fault_tables(const std::vector<FaultAt>& faults);

}  // namespace harness

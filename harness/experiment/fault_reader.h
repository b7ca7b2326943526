// [[fault]] tables of an experiment file, and keys that name one of them.
#pragma once

#include <string>
#include <vector>

#include "harness/experiment/experiment_spec.h"
#include "workloads/table_reader.h"

namespace harness {

/// Reads them as far as they can be checked without knowing the cluster. Throws InputError.
std::vector<FaultAt> read_faults(const TableReader& document);

/// Sets `field` of all faults of that name, as "fault.NAME.FIELD" asks for. Throws InputError: no such fault,
/// a field that a key cannot set, or a value that one of them may not have.
void assign_to_faults(std::vector<FaultAt>& faults, const std::string& name, const std::string& field,
                      const Assignment& assignment);

/// Throws InputError unless every GPU that a fault names is one of the cluster's `workers`. Those that do not
/// happen may name any.
void check_faults(const std::vector<FaultAt>& faults, int workers);

/// Without those that do not happen.
std::vector<Fault> faults_that_happen(const std::vector<FaultAt>& faults);

/// The faults as [[fault]] tables, which read back as the same.
std::string fault_tables(const std::vector<Fault>& faults);

}  // namespace harness

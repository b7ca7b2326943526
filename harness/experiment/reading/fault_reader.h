// Reads the tables [[fault]] of an experiment file and the keys that name one of them, and writes the tables.
#pragma once

#include <string>
#include <vector>

#include "harness/engine/fault.h"
#include "harness/experiment/reading/settings.h"
#include "harness/files/table_reader.h"

namespace harness {

/// Reads the [[fault]] tables and checks all that does not depend on the cluster. Throws InputError.
std::vector<FaultAt> read_faults(const TableReader& document);

/// Sets `field` of all faults of that name, as "fault.NAME.FIELD" asks for. Throws InputError if there is no
/// such fault, if a key cannot set the field, or if one of the faults may not have the value.
void assign_to_faults(std::vector<FaultAt>& faults, const std::string& name, const std::string& field,
                      const Assignment& assignment);

/// Throws InputError unless every GPU that a fault names is one of the cluster's `workers`. Faults that do
/// not happen may name any.
void check_faults(const std::vector<FaultAt>& faults, int workers);

/// Returns the faults without the ones that do not happen.
std::vector<Fault> faults_that_happen(const std::vector<FaultAt>& faults);

/// Returns the faults as [[fault]] tables, which read back as the same.
std::string fault_tables(const std::vector<Fault>& faults);

}  // namespace harness

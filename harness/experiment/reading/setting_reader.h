// Reads the tables [[setting]] of an experiment file: values that go together under a name.
#pragma once

#include <string>

#include "harness/experiment/reading/experiment_spec.h"
#include "harness/files/table_reader.h"

namespace harness {

/// Fills `spec.settings` and puts their axis before `spec.sweeps`; all else must have been read. Throws
/// InputError.
void read_named_settings(const TableReader& document, ExperimentSpec& spec);
/// Throws InputError unless a [[setting]] may set the key, and the key may have the value.
void check_assignment(const ExperimentSpec& spec, const Assignment& assignment);
/// Throws InputError if --set gives a value to the key `key` that a [[setting]] sets: it would change
/// nothing.
void check_override_of_settings(const ExperimentSpec& spec, const std::string& key);

}  // namespace harness

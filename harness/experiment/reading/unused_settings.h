// Settings of an experiment that have no effect.
#pragma once

#include <string>
#include <vector>

#include "harness/experiment/reading/experiment_spec.h"

namespace harness {

/// Returns a line for each key of a shared table or a system that some cell sets to another value than its
/// default, but that has an effect only with a value of another key (Param::only_with) that no cell has.
std::vector<std::string> unused_settings(const ExperimentSpec& spec);

}  // namespace harness

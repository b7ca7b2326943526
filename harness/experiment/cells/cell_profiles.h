// The profiles of a cell's modules: of the cluster's kinds of devices, or of the whole set; and how to
// measure a set that is missing.
#pragma once

#include <string>

#include "harness/engine/run_spec.h"
#include "harness/experiment/reading/experiment_spec.h"
#include "workloads/catalogue/profile_set.h"

namespace harness {

/// Returns the place where the set of profiles is named: for all systems, for one, or in a sweep.
InputPlace place_of_profiles(const ExperimentSpec& spec, const std::string& name);

/// Returns the end of a message that says how to measure the missing set; "" if nothing runs on devices.
std::string how_to_measure(const ExperimentSpec& spec, const Settings& settings);

/// Fills in RunSpec::devices and RunSpec::profiles for its pipeline. Throws InputError for a kind of device
/// that the set does not have, or a model that has no profile on any of them.
void add_profiles(const ExperimentSpec& spec, const Settings& settings, const ProfileSet& set, RunSpec& run);

/// Returns the duration of the longest path of batches of one, each model on its fastest kind of device: no
/// request that takes that path takes less.
TimeNs shortest_service_ns(const RunSpec& run);

/// Returns the requests/s that a cluster of several kinds of devices can carry, each model at its best
/// throughput on each kind, whatever the SLO: requests are divided over the kinds so that as many as possible
/// get through. Rates are relative to it (column `load`).
double capacity_of_kinds_rps(const RunSpec& run);

}  // namespace harness

// The profiles of a cell's modules: of the cluster's kinds of devices, or of the whole set; and how to
// measure a set that is missing.
#pragma once

#include <string>

#include "harness/engine/run_spec.h"
#include "harness/experiment/reading/experiment_spec.h"
#include "workloads/catalogue/catalogue.h"

namespace harness {

/// Where the set of profiles is named: for all systems, for one, or in a sweep.
InputPlace place_of_profiles(const ExperimentSpec& spec, const std::string& name);

/// How to come by the set that is missing; "" where nothing runs on devices.
std::string how_to_measure(const ExperimentSpec& spec, const Settings& settings);

/// Fills in RunSpec::devices and RunSpec::profiles for its pipeline. Throws InputError: a kind of device that
/// the set does not have, or a model that has no profile on any of them.
void add_profiles(const ExperimentSpec& spec, const Settings& settings, const ProfileSet& set, RunSpec& run);

/// The longest path of batches of one, each model on its fastest kind of device: no request takes less where
/// it takes that path.
TimeNs shortest_service_ns(const RunSpec& run);

/// Requests/s that a cluster of several kinds of devices carries in parts, each model at its best throughput
/// on a kind and whatever the SLO: its requests are divided over the kinds so that most get through. What
/// rates are relative to (column `load`).
double capacity_of_kinds_rps(const RunSpec& run);

}  // namespace harness

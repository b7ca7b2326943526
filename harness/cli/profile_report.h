// What `harness profile` prints and writes of a measured model.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/profile_jobs.h"
#include "workloads/measured_profile.h"

namespace harness {

/// For the file. `clocks` are notes about the machine while it was measured.
MeasuredProfile measured_profile(const ModelProfile& profile, const ProfileJob& job,
                                 const std::vector<std::string>& clocks);

/// An empty set that says where, by what and when it is measured.
MeasuredSet measured_set(const ProfileJobs& jobs);

/// For people: a table of the sizes, the fit, what stopped the repeats, exit points.
std::string report_text(const ModelProfile& profile);

}  // namespace harness

// The texts and file entries of `harness profile` for a measured model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/cli/profile_jobs.h"
#include "workloads/catalogue/measured_profile.h"
#include "workloads/catalogue/profile_set.h"

namespace harness {

/// Converts a measurement to what is written. `machine_notes` are lines of text about the machine while the
/// model was measured, such as the clocks of its GPU.
MeasuredProfile measured_profile(const ModelProfile& profile, const ProfileJob& job,
                                 const std::vector<std::string>& machine_notes);

/// Converts the times alone: sizes, repeats, drift, fit.
MeasuredProfile measured_times(const ModelProfile& profile);

/// Returns a set that has no profiles yet: its device, its description and its source.
MeasuredSet measured_set(const ProfileJobs& jobs);

/// Returns a text for people: a table of the sizes, the fit, the reason why the repeats stopped, exit points.
std::string report_text(const ModelProfile& profile);

/// Returns its part on times: the table, the fit, the reason why the repeats stopped, without a line's end.
std::string times_text(const ModelProfile& profile);

/// Returns the beginning of a set's source: the program, the time and the machine.
std::string source_text();

/// Returns the line that names the written file and how experiments take it.
std::string written_text(const std::string& output, std::size_t profiles);

/// Returns what a user should know before trusting the profile, a line each: medians that are less exact than
/// asked for, exit points that the model lacks, and other processes that ran meanwhile. `others_share` is the
/// share of the processors' time that these took; nothing if it is not known.
std::string warnings_text(const ModelProfile& profile, const ProfileJob& job,
                          std::optional<double> others_share);

/// Returns the models and devices of a set of profiles, and what is odd about them: the text that `check`
/// prints.
std::string text_of_set(const ProfileSet& set);

}  // namespace harness

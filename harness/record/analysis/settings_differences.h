// Differences between two cells' effective settings, which may explain why their results differ.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace harness {

/// Returns a text for each setting that has different values in both, in order of names: "pard.lambda 0.1,
/// now 0.2", or "contents of trace differ: day.csv". Takes the effective settings of cells
/// (CellIdentity::effective_toml). Leaves out settings that only one has, since an older program did not know
/// them, except faults and the time limit: "fault 1.kind stop now, none before".
std::vector<std::string> settings_differences(const std::string& base, const std::string& now);
/// Returns the checksums of the files that such settings name, by kind and name: "trace day.csv", "profiles
/// shepherd-v100".
std::map<std::string, std::string> contents_of(const std::string& effective_toml);

}  // namespace harness

// What two cells' effective settings say that differs: why their results may.
#pragma once

#include <string>
#include <vector>

namespace harness {

/// A text for each setting that both have with another value, by name: "pard.lambda 0.1, now 0.2", or
/// "contents of profiles differ". Takes the effective settings of cells (CellIdentity::effective_toml). What
/// only one has is left out, since an older program did not know it, but for faults and the time limit:
/// "fault 1.kind stop now, none before".
std::vector<std::string> settings_differences(const std::string& base, const std::string& now);

}  // namespace harness

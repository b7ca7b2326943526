// Findings about a machine or a job, for `harness doctor`.
#pragma once

#include <cstdint>
#include <string>

namespace harness {

/// The level of a finding. kFail: a live run will not work or its times will be wrong. kWarn: it works, but
/// its times scatter more.
enum class CheckLevel : std::uint8_t { kOk, kWarn, kFail };

/// One finding.
struct Check {
  CheckLevel level = CheckLevel::kOk;
  std::string subject;  ///< subject of the check: "clock source"
  std::string found;
  std::string advice;  ///< advice to the user; empty if nothing is to be done
};

/// Returns a line such as "warn  cores: 9 ranks on 2 cores; fewer ranks a host".
std::string text_of(const Check& check);

}  // namespace harness

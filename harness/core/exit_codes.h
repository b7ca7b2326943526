// The program's exit codes.
#pragma once

namespace harness {

inline constexpr int kAllWell = 0;
inline constexpr int kVerdictAgainst = 1;
inline constexpr int kBadInput = 2;
inline constexpr int kEnvironment = 3;

}  // namespace harness

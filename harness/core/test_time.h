// A unit that tests count in.
#pragma once

#include "harness/core/types.h"

namespace harness {

inline constexpr TimeNs kMs = kNsPerMs;

}  // namespace harness

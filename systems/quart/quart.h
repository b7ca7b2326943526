// The system `quart`; the README.md beside this file maps paper sections to files.
#pragma once

#include <memory>

#include "harness/serving/system.h"

namespace harness {

/// Returns the system `quart`.
std::unique_ptr<System> make_quart();

}  // namespace harness

// The system `ds2`; the README.md beside this file maps paper sections to files.
#pragma once

#include <memory>

#include "harness/serving/system.h"

namespace harness {

/// Returns the system `ds2`.
std::unique_ptr<System> make_ds2();

}  // namespace harness

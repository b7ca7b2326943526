// The system `infless`; the README.md beside this file maps the paper and its public code to files.
#pragma once

#include <memory>

#include "harness/serving/system.h"

namespace harness {

/// Returns the system `infless`.
std::unique_ptr<System> make_infless();

}  // namespace harness

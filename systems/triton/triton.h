// The system `triton`; README.md beside this file says where each rule comes from.
#pragma once

#include <memory>

#include "harness/serving/system.h"

namespace harness {

/// Returns the system `triton`.
std::unique_ptr<System> make_triton();

}  // namespace harness

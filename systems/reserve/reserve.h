// The system `reserve`; README.md beside this file says what it does and how near the optimum it comes.
#pragma once

#include <memory>

#include "harness/serving/system.h"

namespace harness {

std::unique_ptr<System> make_reserve();

}  // namespace harness

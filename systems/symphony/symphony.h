// The system `symphony`; README.md beside this file maps the authors' sources to files.
#pragma once

#include <memory>

#include "harness/serving/system.h"

namespace harness {

std::unique_ptr<System> make_symphony();

}  // namespace harness

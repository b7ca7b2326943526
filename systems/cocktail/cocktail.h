// The system `cocktail`; README.md beside this file maps paper sections to files.
#pragma once

#include <memory>

#include "harness/serving/system.h"

namespace harness {

std::unique_ptr<System> make_cocktail();

}  // namespace harness

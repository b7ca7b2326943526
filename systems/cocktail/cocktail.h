// The system `cocktail`; the README.md beside this file maps paper sections to files.
#pragma once

#include <memory>

#include "harness/serving/system.h"

namespace harness {

/// Returns the system `cocktail`.
std::unique_ptr<System> make_cocktail();

}  // namespace harness

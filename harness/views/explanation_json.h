// An explanation as JSON (docs/commands.md).
#pragma once

#include <string>

#include "harness/views/explanation.h"

namespace harness {

/// Returns a JSON object, with numbers in full.
std::string explanation_json(const Explanation& explanation);

}  // namespace harness

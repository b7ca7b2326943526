// The systems `loki`, `proteus` and `hwscaling`; README.md beside this file maps paper sections to files.
#pragma once

#include <memory>

#include "harness/serving/system.h"

namespace harness {

std::unique_ptr<System> make_loki();
/// What Loki's evaluation compares with (section 6.1): Proteus, and hardware scaling for InferLine.
std::unique_ptr<System> make_proteus();
std::unique_ptr<System> make_hwscaling();

}  // namespace harness

// The systems `loki`, `proteus` and `hwscaling`; the README.md beside this file maps paper sections to files.
#pragma once

#include <memory>

#include "harness/serving/system.h"

namespace harness {

/// Returns the system `loki`.
std::unique_ptr<System> make_loki();
/// Returns Proteus, with which Loki's evaluation compares (section 6.1).
std::unique_ptr<System> make_proteus();
/// Returns hardware scaling, which is InferLine in that comparison.
std::unique_ptr<System> make_hwscaling();

}  // namespace harness

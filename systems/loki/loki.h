// The systems `loki`, `proteus` and `inferline`; README.md beside this file maps paper sections to files.
#pragma once

#include <memory>

#include "harness/serving/system.h"

namespace harness {

std::unique_ptr<System> make_loki();
/// As Loki's evaluation has them (section 6.1).
std::unique_ptr<System> make_proteus();
std::unique_ptr<System> make_inferline();

}  // namespace harness

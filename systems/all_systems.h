// The list of systems: one line each in all_systems.cc, no self-registration.
#pragma once

#include <span>

#include "harness/serving/system.h"

namespace harness {

/// Every system, in the order in which `harness list systems` shows them.
std::span<const SystemEntry> all_systems();

/// The entry of that name, or null.
const SystemEntry* find_system(std::string_view name);

}  // namespace harness

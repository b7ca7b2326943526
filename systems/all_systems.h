// The list of systems: one line each in all_systems.cc, no self-registration.
#pragma once

#include <span>

#include "harness/serving/system.h"

namespace harness {

/// Returns every system, in the order in which `harness list systems` shows them.
std::span<const SystemEntry> all_systems();

/// Returns the entry of that name, or null.
const SystemEntry* find_system(std::string_view name);

}  // namespace harness

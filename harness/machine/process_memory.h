// The memory that processes have, and that they may still allocate.
#pragma once

#include <optional>

#include "harness/machine/machine_files.h"

namespace harness {

/// Returns how many more bytes the processes here may allocate: the least of the memory that is free or can
/// be freed, and of the memory that each control group still allows. Returns nothing if that is not visible.
std::optional<double> available_memory(const MachineFiles& files);
/// Returns the number of bytes of this process that are in memory; 0 if that is not visible. Takes a few
/// microseconds.
double resident_memory();

}  // namespace harness

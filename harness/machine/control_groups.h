// The control groups of this process, which limit what it may take.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/machine/machine_files.h"

namespace harness {

/// Calls `look` with the folder of each of this process's control groups that limits `controller`, and of
/// each group above it. The second argument is true for a group of version 2.
void for_each_group(const MachineFiles& files, const std::string& controller,
                    const std::vector<std::string>& mounts,
                    const std::function<void(const std::string&, bool)>& look);

/// Lowers `least` to `value`, if there is a value and it is less or the first.
void take_lesser(std::optional<double>& least, std::optional<double> value);

}  // namespace harness

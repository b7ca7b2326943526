// The cores that the processes here may use.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "harness/core/archive.h"
#include "harness/machine/machine_files.h"

namespace harness {

/// The cores that a process may use.
struct UsableCores {
  std::vector<int> allowed;     ///< cores of its affinity; empty: not visible
  std::optional<double> quota;  ///< processor time that its control group may take, in cores
};

template <class Way>
void code(Archive<Way>& archive, UsableCores& cores) {
  archive.list(cores.allowed);
  double quota = cores.quota.value_or(0);
  archive.value(quota);
  if (quota > 0) cores.quota = quota;
}

UsableCores usable_cores(const MachineFiles& files);

/// Returns the cores in a list such as "0-3,8", each once, in order; empty if it is no such list.
std::vector<int> cores_in_list(std::string_view list);

}  // namespace harness

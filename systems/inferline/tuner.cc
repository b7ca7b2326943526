#include "systems/inferline/tuner.h"

#include <algorithm>

namespace harness {

void limit_to_cluster(const Hardware& hardware, const Configuration& planned, const std::vector<int>& current,
                      std::vector<int>& wanted) {
  for (std::size_t kind = 0; kind < hardware.kinds(); ++kind) {
    long more = 0;
    long left = hardware.count(kind);
    for (ModuleId m = 0; m < wanted.size(); ++m) {
      if (planned[m].device != kind) continue;
      const int devices = hardware.devices_per_replica(m, kind);
      more += std::max(0, wanted[m] - current[m]) * devices;
      left -= std::min(wanted[m], current[m]) * devices;
    }
    if (more <= left) continue;
    const long free = std::max(0L, left);
    for (ModuleId m = 0; m < wanted.size(); ++m) {
      const long added = wanted[m] - current[m];
      if (planned[m].device != kind || added <= 0) continue;
      const int devices = hardware.devices_per_replica(m, kind);
      // It is rounded up, so that no device is left over.
      const long granted = std::min((added * free + more - 1) / more, left / devices);
      wanted[m] = current[m] + static_cast<int>(granted);
      left -= granted * devices;
    }
  }
}

}  // namespace harness

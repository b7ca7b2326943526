#include "harness/experiment/reading/system_spec.h"

#include <algorithm>

namespace harness {

bool makes_cells(const SystemSpec& system, const std::string& pipeline, const std::string& trace) {
  const auto has = [](const std::vector<std::string>& names, const std::string& name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
  };
  return has(system.pipelines, pipeline) && has(system.traces, trace);
}

bool makes_cells_in(const SystemSpec& system, const std::string& setting) {
  const auto is_it = [&](const NamedAt& one) { return one.name == setting; };
  return system.settings.empty() || std::any_of(system.settings.begin(), system.settings.end(), is_it);
}

}  // namespace harness

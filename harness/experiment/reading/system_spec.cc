#include "harness/experiment/reading/system_spec.h"

#include <algorithm>

#include "harness/core/wording.h"
#include "harness/experiment/reading/known_systems.h"

namespace harness {

void SystemSpec::list(ParamList& params) {
  params.text("name", name, "a name of `harness list systems`", "the system")
      .needed("one of " + join_names(known_systems()));
  params.text("library", library, "a path, from the experiment file's folder",
              "the shared library that the system comes with, if it is not one of the program's "
              "(systems/README.md)");
  params.text("variant", variant, "a text", "what results call this setting of the system")
      .by_default("default, or what is overridden");
  params
      .other("params", "a table of the system's parameters",
             "short for set with the system's name before the key")
      .by_default("{}");
  params
      .text("planner", planner, "a system whose plans others can serve by: inferline, quart",
            "the system serves by the plans of this one (systems/README.md)")
      .by_default("(its own)");
  params
      .other("planner_params", "a table of the planner's parameters",
             "short for set with the planner's name before the key")
      .by_default("{}");
  params
      .other("set", "a table of dotted keys of cluster, serving, planner, gpu, module.NAME and the system",
             "settings for this system alone; the load stays the same")
      .by_default("{}");
  params
      .other("only",
             "{ pipelines = [...], traces = [...], settings = [...] }, names of [workload] and of "
             "[[setting]]",
             "the entry makes cells on these alone; a list left out: on all")
      .by_default("{}");
}

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

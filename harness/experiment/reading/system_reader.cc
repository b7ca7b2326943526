#include "harness/experiment/reading/system_reader.h"

#include <algorithm>

#include "harness/core/wording.h"
#include "harness/experiment/reading/experiment_spec.h"
#include "harness/experiment/reading/known_systems.h"
#include "systems/all_systems.h"

namespace harness {
namespace {

void check_override(const SystemSpec& system, const Assignment& assignment) {
  const std::string section = section_of(assignment.key);
  if (section == "trace" || section == "workload") {
    throw input_error(assignment.place, assignment.key,
                      "settings of a system: every system gets the same load");
  }
  if (section == "fault") {
    throw input_error(assignment.place, assignment.key,
                      "settings of a system: every system gets the same faults");
  }
  if (section == "live") {
    throw input_error(assignment.place, assignment.key, "settings of a system: [live] has the runtime's");
  }
  if (known_system(section) != nullptr && !is_of(section, system)) {
    throw input_error(assignment.place, assignment.key,
                      "parameters of " + system.name +
                          (system.planner.empty() ? "" : ", of " + system.planner) + " and shared settings");
  }
  Settings scratch;
  assign(scratch, assignment);
}

std::string variant_of(const SystemSpec& system) {
  std::string variant = system.planner.empty() ? "" : kPlannerKey + ("=" + system.planner);
  for (const Assignment& assignment : system.overrides) {
    const std::string key = assignment.key.substr(assignment.key.rfind('.') + 1);
    variant += (variant.empty() ? "" : ",") + key + "=" + text_of(assignment.value);
  }
  return variant.empty() ? "default" : variant;
}

/// Checks the name of the system that plans, if it is another system of the program.
void check_planner(const TableReader& table, const SystemSpec& system) {
  if (system.planner.empty()) {
    if (table.has(kPlannerParamsKey))
      throw input_error(table.place(kPlannerParamsKey), "no planner beside it", "planner = \"NAME\" too");
    return;
  }
  std::vector<std::string> able;
  for (const SystemEntry& entry : all_systems()) {
    if (entry.make()->traits().plans_for_others) able.emplace_back(entry.name);
  }
  if (std::find(able.begin(), able.end(), system.planner) == able.end())
    throw input_error(table.place(kPlannerKey), "\"" + system.planner + "\"",
                      join_names(able) + ", whose plans schedulers of other systems can serve by");
  if (system.planner == system.name)
    throw input_error(table.place(kPlannerKey), "the system itself", "another system, or no such key");
}

void read_params(const TableReader& table, SystemSpec& system) {
  const std::pair<const char*, std::string> kinds[] = {
      {"params", system.name}, {kPlannerParamsKey, system.planner}, {"set", ""}};
  for (const auto& [key, section] : kinds) {
    if (!table.has(key)) continue;
    for (Assignment& assignment : table.table(key).assignments(section)) {
      check_override(system, assignment);
      for (const Assignment& other : system.overrides) {
        if (other.key == assignment.key)
          throw input_error(assignment.place, "the key twice", "each key once");
      }
      system.overrides.push_back(std::move(assignment));
    }
  }
}

std::vector<std::string> read_names(const TableReader& only, const char* key,
                                    const std::vector<NamedAt>& axis) {
  const std::vector<std::string> known = names_of(axis);
  const std::vector<NamedAt> names = only.text_axis(key);
  for (const NamedAt& name : names) {
    if (std::find(known.begin(), known.end(), name.name) == known.end())
      throw_unknown(name.place, "name in workload." + std::string(key), name.name, known);
  }
  return names_of(names);
}

void read_only(const TableReader& table, const WorkloadSpec& workload, SystemSpec& system) {
  if (!table.has("only")) return;
  const TableReader only = table.table("only");
  only.require_known({"pipelines", "traces", "settings"});
  system.pipelines = read_names(only, "pipelines", workload.pipelines);
  system.traces = read_names(only, "traces", workload.traces);
  system.settings = only.text_axis("settings");
}

/// Throws InputError unless the system's library is loaded. load_experiment() has loaded it; for other texts
/// no library is loaded.
void check_library(const TableReader& table, const SystemSpec& system) {
  const LoadedLibrary* const loaded = library_of(system.name);
  if (loaded != nullptr && system.library.empty())
    throw input_error(table.place("name"), system.name + " without its library",
                      std::string(kLibraryKey) + " = \"" + loaded->path + "\" beside it");
  if (loaded != nullptr || system.library.empty()) return;
  const std::string found =
      known_system(system.name) == nullptr ? "which is not loaded" : "which is the program's";
  throw input_error(table.place("name"), system.name + " of " + system.library + ", " + found,
                    "a system of a library that is loaded (harness check " + system.library +
                        " lists its systems; --library " + system.library +
                        " of replay and compare loads it)");
}

SystemSpec read_system(const TableReader& table, const WorkloadSpec& workload) {
  auto system = table.read_as<SystemSpec>();
  check_library(table, system);
  if (known_system(system.name) == nullptr) {
    const std::vector<std::string> known = known_systems();
    const std::string near = nearest_name(system.name, known);
    throw input_error(
        table.place("name"),
        "unknown system '" + system.name + "'" + (near.empty() ? "" : ", did you mean '" + near + "'?"),
        join_names(known) + ", or with library = \"FILE.so\" one of your own");
  }
  system.place = table.place("name");
  check_planner(table, system);
  read_params(table, system);
  read_only(table, workload, system);
  if (system.variant.empty()) system.variant = variant_of(system);
  return system;
}

/// Throws InputError if a workload gets the same system and variant from two entries.
void check_distinct(const ExperimentSpec& spec, const SystemSpec& system, const InputPlace& place) {
  for (const SystemSpec& other : spec.systems) {
    if (other.name != system.name || other.variant != system.variant) continue;
    for (const NamedAt& pipeline : spec.workload.pipelines) {
      for (const NamedAt& trace : spec.workload.traces) {
        if (!makes_cells(system, pipeline.name, trace.name) || !makes_cells(other, pipeline.name, trace.name))
          continue;
        throw input_error(place,
                          system.name + " with variant \"" + system.variant + "\" twice on " + pipeline.name +
                              " with " + trace.name,
                          "a variant of its own for each [[system]] of a workload (see also `only`)");
      }
    }
  }
}

}  // namespace

void read_systems(const TableReader& document, ExperimentSpec& spec) {
  const std::vector<TableReader> tables = document.tables("system");
  if (tables.empty()) throw input_error({spec.file, 0, "system"}, "nothing", "at least one [[system]]");
  for (const TableReader& table : tables) {
    SystemSpec system = read_system(table, spec.workload);
    check_distinct(spec, system, table.place("name"));
    spec.systems.push_back(std::move(system));
  }
}

}  // namespace harness

#include "harness/experiment/reading/settings.h"

#include <algorithm>

#include "harness/core/check.h"
#include "harness/core/wording.h"
#include "harness/experiment/reading/fault_reader.h"
#include "harness/experiment/reading/known_systems.h"
#include "harness/experiment/reading/stream_reader.h"
#include "harness/serving/composed_system.h"

namespace harness {
namespace {

template <class Listed>
void append(std::vector<Param>& params, Listed& listed) {
  ParamList list;
  listed.list(list);
  list.move_to(params);
}

void set_param(const std::vector<Param>& params, const std::string& name, const Assignment& assignment) {
  std::vector<std::string> known;
  for (const Param& param : params) {
    if (param.name == name) {
      HARNESS_CHECK(param.set != nullptr, "a list or a key without a field is assigned one value");
      if (param.set(assignment.value)) return;
      const std::string* text = std::get_if<std::string>(&assignment.value);
      throw input_error(assignment.place, text == nullptr ? text_of(assignment.value) : "\"" + *text + "\"",
                        param.allowed);
    }
    known.push_back(param.name);
  }
  if (known.empty()) {
    throw input_error(assignment.place, "unknown key '" + name + "'",
                      "none: " + section_of(assignment.key) + " has no parameters");
  }
  throw_unknown(assignment.place, "key", name, known);
}

void assign_to_trace(Settings& settings, const std::string& trace, const std::string& field,
                     const Assignment& assignment) {
  TraceSpec other;
  TraceSpec& spec = trace == settings.trace.name ? settings.trace : other;
  if (field.starts_with(std::string(kStreamsKey) + ".")) {
    if (&spec != &other) assign_to_streams(spec, field, assignment);
    return;
  }
  set_param(trace_params(spec), field, assignment);
  spec.places[field] = assignment.place;
}

std::vector<std::string> section_names() {
  std::vector<std::string> names = {"cluster", "serving", "planner", "live",  "gpu",
                                    "server",  "module",  "trace",   "fault", kWorkload};
  for (const std::string& system : known_systems()) names.push_back(system);
  return names;
}

}  // namespace

std::vector<Section> fixed_sections(Settings& settings) {
  std::vector<Section> sections = {{"cluster", {}}, {"serving", {}}, {"planner", {}}, {"live", {}},
                                   {"gpu", {}},     {"server", {}},  {kWorkload, {}}};
  append(sections[0].params, settings.cluster);
  append(sections[0].params, settings.world);
  append(sections[1].params, settings.serving);
  append(sections[2].params, settings.planner);
  append(sections[3].params, settings.live);
  append(sections[4].params, settings.gpu);
  append(sections[5].params, settings.server);
  append(sections[6].params, settings.requests);
  return sections;
}

std::vector<Param> trace_params(TraceSpec& trace) {
  ParamList list;
  trace.list_all(list);
  return list.params();
}

std::vector<Param> module_params(ModuleOverride& module) {
  ParamList list;
  list.integer("batch", module.batch, 0, 1024, "fixes the module's batch size; 0: the planner chooses");
  list.integer("workers", module.workers, 0, 1'000'000, "fixes the module's workers; 0: the planner chooses");
  list.integer("cores", module.cores, 0, 100'000,
               "fixes the cores of each of its workers in plans of the shared planner, where its profile has "
               "cpu_ms; batches and workers are those without; 0: as it was measured");
  list.any_text(
      "remote", module.remote, "a name or a path",
      "runtime = server: the server's model, or for a plain POST the path; empty: the module's name");
  return list.params();
}

std::vector<Param> system_params(System& system) {
  std::vector<Param> params;
  append(params, system);
  return params;
}

void assign(Settings& settings, const Assignment& assignment) {
  const std::string section = section_of(assignment.key);
  const std::string member = member_of_section(assignment.key);
  if (section == assignment.key) {
    throw_if_in_table(assignment.place, section, dotted_keys(section));
    throw_unknown(assignment.place, "section", section, section_names());
  }
  const std::string name = assignment.key.substr(section.size() + 1);
  if (section == "trace" || section == "module" || section == "fault") {
    if (member.empty()) throw input_error(assignment.place, assignment.key, section + ".NAME.KEY");
    const std::string field = name.substr(member.size() + 1);
    if (section == "trace") return assign_to_trace(settings, member, field, assignment);
    if (section == "fault") return assign_to_faults(settings.faults, member, field, assignment);
    return set_param(module_params(settings.modules[member]), field, assignment);
  }
  if (const SystemEntry* entry = known_system(section)) {
    const std::unique_ptr<System> system = entry->make();
    set_param(system_params(*system), name, assignment);
    settings.system_params.push_back(assignment);
    return;
  }
  for (const Section& fixed : fixed_sections(settings)) {
    if (fixed.name == section) return set_param(fixed.params, name, assignment);
  }
  throw_unknown(assignment.place, "section", section, section_names());
}

/// Throws InputError at a parameter of the system that has no effect if another system plans.
void check_serving(System& system, const std::string& name, const Settings& settings) {
  ParamList serving;
  system.list_serving(serving);
  const std::vector<std::string> known = serving.names();
  for (const Assignment& assignment : settings.system_params) {
    if (section_of(assignment.key) != name) continue;
    if (std::find(known.begin(), known.end(), assignment.key.substr(name.size() + 1)) != known.end())
      continue;
    throw input_error(
        assignment.place,
        assignment.key + ", which is for its own plans, with planner = " + settings.planner_system,
        known.empty() ? "none of its parameters" : join_names(known));
  }
}

std::unique_ptr<System> make_system(const std::string& name, const Settings& settings) {
  std::unique_ptr<System> system = make_one_system(name, settings);
  if (settings.planner_system.empty()) return system;
  check_serving(*system, name, settings);
  return composed_system(std::move(system), make_one_system(settings.planner_system, settings));
}

std::unique_ptr<System> make_one_system(const std::string& name, const Settings& settings) {
  const SystemEntry* entry = known_system(name);
  HARNESS_CHECK(entry != nullptr, "an unknown system passed the checks");
  std::unique_ptr<System> system = entry->make();
  const std::vector<Param> params = system_params(*system);
  for (const Assignment& assignment : settings.system_params) {
    if (section_of(assignment.key) == name)
      set_param(params, assignment.key.substr(name.size() + 1), assignment);
  }
  return system;
}

std::string section_of(const std::string& key) { return key.substr(0, key.find('.')); }

std::string member_of_section(const std::string& key) {
  const std::string section = section_of(key);
  if (section != "trace" && section != "module" && section != "fault") return "";
  const std::size_t streams = key.rfind(".streams.");
  const bool of_class = section == "trace" && streams != std::string::npos && streams > section.size();
  const std::size_t last = of_class ? streams : key.rfind('.');
  return last <= section.size() || last == std::string::npos
             ? ""
             : key.substr(section.size() + 1, last - section.size() - 1);
}

std::vector<std::string> dotted_keys(const std::string& name) {
  std::vector<std::string> keys;
  const auto add = [&](const std::string& section, const std::vector<Param>& params) {
    for (const Param& param : params) {
      if (param.name == name) keys.push_back(section + "." + name);
    }
  };
  Settings settings;
  for (const Section& section : fixed_sections(settings)) add(section.name, section.params);
  for (const std::string& system : known_systems()) add(system, system_params(*known_system(system)->make()));
  return keys;
}

void throw_if_in_table(const InputPlace& place, const std::string& name,
                       const std::vector<std::string>& keys) {
  if (keys.empty()) return;
  throw input_error(place, "'" + name + "' without its table, did you mean '" + keys.front() + "'?",
                    join_names(keys));
}

}  // namespace harness

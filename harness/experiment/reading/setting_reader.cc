#include "harness/experiment/reading/setting_reader.h"

#include <algorithm>

#include "harness/core/wording.h"
#include "harness/experiment/reading/experiment_spec.h"

namespace harness {
namespace {

constexpr const char* kLoadKey = "workload.load";

}  // namespace

void check_assignment(const ExperimentSpec& spec, const Assignment& assignment) {
  const std::string section = section_of(assignment.key);
  if (section == kWorkload) {
    throw input_error(assignment.place, assignment.key,
                      std::string(kLoadKey) + " and keys of other tables; the rest of [workload] is axes");
  }
  const bool of_trace = section == "trace";
  if (of_trace && spec.traces.count(member_of_section(assignment.key)) == 0) {
    throw input_error(assignment.place, assignment.key,
                      "a trace of workload.traces: " + join_names(names_of(spec.workload.traces)));
  }
  Settings scratch = spec.base;
  if (of_trace) scratch.trace = spec.traces.at(member_of_section(assignment.key));
  assign(scratch, assignment);
}

namespace {

double load_of(const ExperimentSpec& spec, const Assignment& assignment) {
  const auto* load = std::get_if<double>(&assignment.value);
  if (load == nullptr || *load < 1e-6 || *load > 1e3)
    throw input_error(assignment.place, text_of(assignment.value), "a number from 1e-06 to 1000");
  if (!spec.workload.rates_rps.empty() || spec.workload.loads.size() > 1)
    throw input_error(assignment.place, std::string(kLoadKey) + " beside several rates of [workload]",
                      "one of them");
  return *load;
}

NamedSetting read_setting(const TableReader& table, const ExperimentSpec& spec) {
  auto setting = table.read_as<NamedSetting>();
  setting.place = table.place("name");
  for (const Assignment& assignment : table.table("set").assignments("")) {
    for (const SweepAxis& axis : spec.sweeps) {
      if (axis.key == assignment.key)
        throw input_error(assignment.place, assignment.key + ", which a [[sweep]] has too", "one of them");
    }
    if (assignment.key == kLoadKey) {
      setting.load = load_of(spec, assignment);
    } else {
      check_assignment(spec, assignment);
      setting.values.push_back(assignment);
    }
  }
  return setting;
}

}  // namespace

void check_override_of_settings(const ExperimentSpec& spec, const std::string& key) {
  for (const NamedSetting& setting : spec.settings) {
    const bool has = std::ranges::find(setting.values, key, &Assignment::key) != setting.values.end();
    if (has || (setting.load && key == "workload.loads"))
      throw input_error({"--set", 0, key}, "a key that the [[setting]] " + setting.name + " has",
                        "keys that no [[setting]] has: change it in a copy of the file");
  }
}

void read_named_settings(const TableReader& document, ExperimentSpec& spec) {
  SweepAxis axis;
  axis.key = kSettingKey;
  for (const TableReader& table : document.tables(kSettingKey)) {
    NamedSetting setting = read_setting(table, spec);
    for (const NamedSetting& other : spec.settings) {
      if (other.name == setting.name)
        throw input_error(setting.place, "\"" + setting.name + "\" twice", "a name of its own for each");
    }
    axis.values.emplace_back(setting.name);
    axis.place = setting.place;
    spec.settings.push_back(std::move(setting));
  }
  std::vector<std::string> known;
  for (const NamedSetting& setting : spec.settings) known.push_back(setting.name);
  for (const SystemSpec& system : spec.systems) {
    for (const NamedAt& name : system.settings) {
      if (std::ranges::find(known, name.name) == known.end())
        throw_unknown(name.place, "name of a [[setting]]", name.name, known);
    }
  }
  if (!axis.values.empty()) spec.sweeps.insert(spec.sweeps.begin(), std::move(axis));
}

}  // namespace harness

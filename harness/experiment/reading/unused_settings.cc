#include "harness/experiment/reading/unused_settings.h"

#include <algorithm>

#include "harness/core/param_list.h"
#include "harness/core/wording.h"
#include "harness/experiment/reading/experiment_spec.h"
#include "harness/experiment/reading/known_systems.h"

namespace harness {
namespace {

/// Returns every value of the key that some cell may have. `base` is the value of the file's own table.
std::vector<std::string> values_of(const ExperimentSpec& spec, const std::string& key,
                                   const std::string& base) {
  std::vector<std::string> values = {base};
  const auto add = [&](const std::vector<Assignment>& assignments) {
    for (const Assignment& one : assignments) {
      if (one.key == key) values.push_back(text_of(one.value));
    }
  };
  for (const SweepAxis& axis : spec.sweeps) {
    for (const ParamValue& value : axis.values) add({{axis.key, value, axis.place}});
  }
  for (const NamedSetting& setting : spec.settings) add(setting.values);
  for (const SystemSpec& system : spec.systems) add(system.overrides);
  return values;
}

const Param& param_of(const std::vector<Param>& params, const std::string& name) {
  return *std::ranges::find(params, name, &Param::name);
}

/// Adds a line for each parameter of the table without an effect. `base` has the values of the file's own
/// table, `standard` the defaults.
void add_unused(const ExperimentSpec& spec, const Section& base, const Section& standard,
                std::vector<std::string>& remarks) {
  for (const Param& param : base.params) {
    if (param.other.empty()) continue;
    const auto all = [&](const Param& of) {
      return values_of(spec, base.name + "." + of.name, text_of(of.get()));
    };
    const bool may_count = std::ranges::any_of(
        all(param_of(base.params, param.other)),
        [&](const std::string& value) { return std::ranges::count(param.other_values, value) > 0; });
    if (may_count) continue;
    const std::string unset = text_of(param_of(standard.params, param.name).get());
    for (const std::string& value : all(param)) {
      if (value == unset) continue;
      remarks.push_back(base.name + "." + param.name + " = " + value + " has no effect without " + base.name +
                        "." + param.other + " = " + join_names(param.other_values));
      break;
    }
  }
}

}  // namespace

std::vector<std::string> unused_settings(const ExperimentSpec& spec) {
  std::vector<std::string> remarks;
  Settings given = spec.base;
  Settings standard;
  const std::vector<Section> base = fixed_sections(given);
  const std::vector<Section> standards = fixed_sections(standard);
  for (std::size_t i = 0; i < base.size(); ++i) add_unused(spec, base[i], standards[i], remarks);
  for (const std::string& name : known_systems()) {
    const std::unique_ptr<System> system = make_one_system(name, spec.base);
    const std::unique_ptr<System> fresh = make_one_system(name, standard);
    add_unused(spec, {name, system_params(*system)}, {name, system_params(*fresh)}, remarks);
  }
  return remarks;
}

}  // namespace harness

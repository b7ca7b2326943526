#include "harness/experiment/reading/unused_settings.h"

#include <algorithm>

#include "harness/core/check.h"
#include "harness/core/param_list.h"
#include "harness/core/wording.h"
#include "harness/experiment/reading/experiment_spec.h"
#include "harness/gpu/device/device_traits.h"

namespace harness {
namespace {

/// A key that has an effect only beside another one with one of these values.
struct Beside {
  const char* key;
  const char* other;
  std::vector<std::string> values;
};

std::vector<Beside> keys_beside_others() {
  return {
      {"cluster.jitter_fraction", "cluster.jitter", {"uniform"}},
      {"cluster.disk_gb_per_s", "cluster.cold_start", {"cached"}},
      {"cluster.host_gb_per_s", "cluster.cold_start", {"cached"}},
      {"cluster.scheduler_cost_us", "cluster.scheduler_cost", {"fixed"}},
      {"cluster.scheduler_queue_limit_ms", "cluster.scheduler_cost", {"fixed"}},
      {"planner.headroom", "planner.workers", {"rate"}},
      {"planner.period_s", "planner.autoscale", {"true"}},
      {"planner.scale_down_s", "planner.autoscale", {"true"}},
      {"live.spin_core", "live.spin", {"true"}},
      {"gpu.threads", "gpu.device", device_kinds_with(&DeviceTraits::takes_threads)},
  };
}

/// Returns the key's value in text.
std::string value_of(Settings settings, const std::string& key) {
  for (const Section& section : fixed_sections(settings)) {
    for (const Param& param : section.params) {
      if (section.name + "." + param.name == key) return text_of(param.get());
    }
  }
  HARNESS_CHECK(false, "the list names a key that does not exist");
  return "";
}

/// Returns every value that some cell may have.
std::vector<std::string> values_of(const ExperimentSpec& spec, const std::string& key) {
  std::vector<std::string> values;
  const auto add = [&](const std::vector<Assignment>& assignments) {
    for (const Assignment& one : assignments) {
      if (one.key == key) values.push_back(text_of(one.value));
    }
  };
  values.push_back(value_of(spec.base, key));
  for (const SweepAxis& axis : spec.sweeps) {
    for (const ParamValue& value : axis.values) add({{axis.key, value, axis.place}});
  }
  for (const NamedSetting& setting : spec.settings) add(setting.values);
  for (const SystemSpec& system : spec.systems) add(system.overrides);
  return values;
}

}  // namespace

std::vector<std::string> unused_settings(const ExperimentSpec& spec) {
  std::vector<std::string> remarks;
  for (const Beside& beside : keys_beside_others()) {
    const std::vector<std::string> others = values_of(spec, beside.other);
    const auto is_needed = [&](const std::string& other) {
      return std::find(beside.values.begin(), beside.values.end(), other) != beside.values.end();
    };
    if (std::any_of(others.begin(), others.end(), is_needed)) continue;
    const std::vector<std::string> values = values_of(spec, beside.key);
    const std::string standard = value_of(Settings(), beside.key);
    const auto given = std::find_if(values.begin(), values.end(),
                                    [&](const std::string& value) { return value != standard; });
    if (given == values.end()) continue;
    remarks.push_back(std::string(beside.key) + " = " + *given + " has no effect without " + beside.other +
                      " = " + join_names(beside.values));
  }
  return remarks;
}

}  // namespace harness

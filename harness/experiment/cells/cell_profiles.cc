#include "harness/experiment/cells/cell_profiles.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "harness/core/routes.h"
#include "harness/core/wording.h"
#include "harness/experiment/reading/experiment_spec.h"
#include "harness/gpu/device/device_traits.h"
#include "harness/serving/milp.h"
#include "workloads/catalogue/catalogue.h"

namespace harness {

InputPlace place_of_profiles(const ExperimentSpec& spec, const std::string& name) {
  const std::string key = "cluster.profiles";
  for (const SystemSpec& system : spec.systems) {
    for (const Assignment& assignment : system.overrides) {
      if (assignment.key == key && text_of(assignment.value) == name) return assignment.place;
    }
  }
  for (const SweepAxis& axis : spec.sweeps) {
    if (axis.key == key &&
        std::find(axis.values.begin(), axis.values.end(), ParamValue(name)) != axis.values.end())
      return axis.place;
  }
  return place_of(spec, key);
}

namespace {

bool has_cells_on_devices(const ExperimentSpec& spec) {
  return std::find(spec.runtimes.begin(), spec.runtimes.end(), Runtime::kGpu) != spec.runtimes.end();
}

/// Returns the command that measures the set of profiles that cells on devices need, with the options of
/// those cells.
std::string measuring_command(const ExperimentSpec& spec, const Settings& settings,
                              const std::string& output) {
  std::vector<std::string> pipelines;
  for (const NamedAt& pipeline : spec.workload.pipelines)
    pipelines.push_back(is_path(pipeline.name) ? resolve_path(spec.folder, pipeline.name) : pipeline.name);
  const std::filesystem::path folder = std::filesystem::path(output).parent_path();
  std::error_code error;
  const bool has_folder = folder.empty() || std::filesystem::exists(folder, error);
  std::string names = join_names(pipelines);
  std::erase(names, ' ');
  std::string options = names + " --max-batch " + std::to_string(settings.planner.max_batch);
  const DeviceTraits& kind = traits_of(settings.gpu.device);
  if (kind.takes_threads && settings.gpu.threads > 1)
    options += " --threads " + std::to_string(settings.gpu.threads);
  if (settings.gpu.precision != Precision::kFp32)
    options += std::string(" --precision ") + name_of(settings.gpu.precision);
  return (has_folder ? "" : "mkdir -p " + folder.string() + " && ") + "harness profile --device " +
         kind.name + (kind.needs_gpu ? ":0" : "") + " --pipeline " + options + " -o " + output;
}

std::string how_to_measure_all(const ExperimentSpec& spec, const Settings& settings) {
  if (!has_cells_on_devices(spec)) return "";
  const std::string output = "measured.toml";
  return "; measure one: " + measuring_command(spec, settings, output) +
         ", then --set cluster.profiles=$PWD/" + output;
}

/// Returns the kinds of devices with the profiles of their names. Throws InputError.
std::vector<ClusterDevice> devices_of(const Settings& settings, const ProfileSet& set,
                                      const Pipeline& pipeline) {
  std::vector<ClusterDevice> devices;
  for (const DeviceAt& at : settings.devices) {
    const auto found = set.devices.find(at.name);
    if (found == set.devices.end()) {
      std::vector<std::string> known;
      for (const auto& [name, profiles] : set.devices) known.push_back(name);
      throw_unknown(at.place, "device of the profiles " + set.name, at.name, known);
    }
    ClusterDevice device{at.name, at.count, at.usd_per_h, {}};
    for (const Module& module : pipeline.modules) {
      const auto profile = found->second.find(module.model);
      if (profile != found->second.end() && profile->second.service != Service::kBatch)
        throw input_error(at.place, "a device for " + module.model + ", a service that is no batch",
                          "pipelines of batches alone with [[cluster.device]]");
      device.profiles.push_back(profile == found->second.end()
                                    ? std::nullopt
                                    : std::optional(scaled(profile->second, settings.cluster.profile_scale)));
    }
    devices.push_back(std::move(device));
  }
  return devices;
}

/// Returns the profile of module `m`, if there is one: on the first kind of device that has it or, if the
/// cluster has no kinds, in the set. Throws InputError if the cluster has no kinds and the set has the model
/// on several devices.
std::optional<Profile> profile_of(const ExperimentSpec& spec, const Settings& settings, const ProfileSet& set,
                                  const RunSpec& run, std::size_t m) {
  for (const ClusterDevice& device : run.devices) {
    if (device.profiles[m]) return device.profiles[m];
  }
  const std::string& model = run.pipeline.modules[m].model;
  const auto found = set.profiles.find(model);
  if (!run.devices.empty() || found == set.profiles.end()) return std::nullopt;
  std::vector<std::string> on;
  for (const auto& [device, profiles] : set.devices) {
    if (profiles.contains(model)) on.push_back(device);
  }
  if (on.size() > 1) {
    throw input_error(place_of(spec, "cluster.profiles"),
                      "profiles of " + model + " on " + join_names(on) + " in " + set.name,
                      "[[cluster.device]] with the kinds that the cluster has");
  }
  return scaled(found->second, settings.cluster.profile_scale);
}

/// Returns " on cpu, k80", or "" if the cluster has no kinds.
std::string of_devices(const Settings& settings) {
  std::vector<std::string> names;
  for (const DeviceAt& device : settings.devices) names.push_back(device.name);
  return names.empty() ? "" : " on " + join_names(names);
}

}  // namespace

std::string how_to_measure(const ExperimentSpec& spec, const Settings& settings) {
  if (!has_cells_on_devices(spec)) return "";
  return "; measure it: " +
         measuring_command(spec, settings, resolve_path(spec.folder, settings.cluster.profiles));
}

void add_profiles(const ExperimentSpec& spec, const Settings& settings, const ProfileSet& set, RunSpec& run) {
  run.devices = devices_of(settings, set, run.pipeline);
  for (std::size_t m = 0; m < run.pipeline.modules.size(); ++m) {
    const Module& module = run.pipeline.modules[m];
    const std::optional<Profile> profile = profile_of(spec, settings, set, run, m);
    if (!profile) {
      throw input_error(place_of(spec, "cluster.profiles"),
                        "no profile of " + module.model + " in " + set.name + of_devices(settings),
                        "a set with every model of pipeline " + run.pipeline.name + " (" + module.name +
                            " has this one; `harness list profiles` names the models of each set)" +
                            how_to_measure_all(spec, settings));
    }
    run.profiles.push_back(*profile);
  }
}

TimeNs shortest_service_ns(const RunSpec& run) {
  std::vector<double> least_ns;
  for (std::size_t m = 0; m < run.pipeline.modules.size(); ++m) {
    TimeNs least = run.profiles[m].latency(1);
    for (const ClusterDevice& device : run.devices) {
      if (device.profiles[m]) least = std::min(least, device.profiles[m]->latency(1));
    }
    least_ns.push_back(static_cast<double>(least));
  }
  return static_cast<TimeNs>(longest_after(run.pipeline, least_ns).front() + least_ns.front());
}

double capacity_of_kinds_rps(const RunSpec& run) {
  const std::vector<double> visits = visit_probabilities(run.pipeline);
  Milp problem;
  const int rate = problem.add_variable(0, kMilpInfinity, 1, false);
  std::vector<std::vector<MilpTerm>> busy(run.devices.size());
  for (std::size_t m = 0; m < run.pipeline.modules.size(); ++m) {
    std::vector<MilpTerm> served = {{rate, -visits[m]}};
    for (std::size_t kind = 0; kind < run.devices.size(); ++kind) {
      const std::optional<Profile>& profile = run.devices[kind].profiles[m];
      if (!profile) continue;
      const int here = problem.add_variable(0, kMilpInfinity, 0, false);
      served.push_back({here, 1});
      busy[kind].push_back({here, 1 / best_throughput_rps(*profile, profile->max_batch())});
    }
    problem.add_row(0, 0, served);
  }
  for (std::size_t kind = 0; kind < busy.size(); ++kind) {
    if (!busy[kind].empty()) problem.add_row(-kMilpInfinity, run.devices[kind].count, busy[kind]);
  }
  return solve(problem, {}).objective;
}

}  // namespace harness

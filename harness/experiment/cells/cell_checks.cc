#include "harness/experiment/cells/cell_checks.h"

#include <algorithm>

#include "harness/core/wording.h"
#include "harness/engine/dispatch/initial_plan.h"
#include "harness/experiment/reading/known_systems.h"
#include "harness/serving/placed_planner.h"

namespace harness {
namespace {

std::string names_of_those(bool SystemTraits::*trait) {
  std::vector<std::string> able;
  for (const std::string& name : known_systems()) {
    if (known_system(name)->make()->traits().*trait) able.push_back(name);
  }
  return join_names(able);
}

}  // namespace

void check_served(const ExperimentSpec& spec, const std::vector<Pipeline>& pipelines,
                  const std::vector<Cell>& cells) {
  for (const Cell& cell : cells) {
    const NamedAt& trace = spec.workload.traces[cell.trace];
    const NamedAt& pipeline = spec.workload.pipelines[cell.pipeline];
    const SystemSpec& system = spec.systems[cell.system];
    const bool streams = spec.traces.at(trace.name).shape == "streams";
    Settings standard;  // what a system serves does not depend on its parameters
    standard.planner_system = system.planner;
    const SystemTraits served = make_system(system.name, standard)->traits();
    const std::string name =
        system.name + (system.planner.empty() ? "" : " with the plans of " + system.planner);
    if (pipelines[cell.pipeline].independent && !streams) {
      throw input_error(trace.place,
                        "trace " + trace.name + ", one load, on pipeline " + pipeline.name +
                            ", which has several independent ones",
                        "traces of shape streams");
    }
    if (streams && !served.serves_streams) {
      throw input_error(system.place, name + ", which serves no streams, with trace " + trace.name,
                        names_of_those(&SystemTraits::serves_streams) + ", or `only` with other traces");
    }
    if (cell.slo_factor > 0 && (pipelines[cell.pipeline].independent || pipelines[cell.pipeline].has_tasks()))
      throw input_error(spec.workload.slo_place, "slo_factors with pipeline " + pipeline.name,
                        "slo_ms: this pipeline has no longest path of modules");
    const std::vector<DeviceAt>& devices = spec.base.devices;
    if (devices.size() > 1 && !served.plans_devices) {
      const std::string those = names_of_those(&SystemTraits::plans_devices);
      throw input_error(system.place,
                        name + ", which plans for one kind of device, with " +
                            std::to_string(devices.size()) + " in [[cluster.device]]",
                        (those.empty() ? "" : those + ", ") + "a `planner` (" +
                            names_of_those(&SystemTraits::plans_for_others) + "), or one kind");
    }
    for (const DeviceAt& device : devices) {
      if (devices.size() > 1 && !(device.usd_per_h > 0))
        throw input_error(device.place, "usd_per_h = 0 for " + device.name + ", one of several kinds",
                          "a price above 0: systems choose kinds by it");
    }
    if (devices.size() > 1 && spec.workload.rates_rps.empty())
      throw input_error(spec.workload.rate_place, "loads, with several kinds in [[cluster.device]]",
                        "rates_rps: loads are relative to the capacity of one kind");
    if (devices.size() > 1 && cell.runtime == Runtime::kGpu)
      throw input_error(devices[1].place, "a second kind of device with runtime = gpu",
                        "one kind, or runtime = simulated or emulated");
    if (pipelines[cell.pipeline].has_tasks() && !served.serves_tasks) {
      throw input_error(system.place, name + ", which serves no task trees, with pipeline " + pipeline.name,
                        names_of_those(&SystemTraits::serves_tasks) + ", or pipelines of modules");
    }
  }
}

void check_requests(const ExperimentSpec& spec, const std::vector<Pipeline>& pipelines) {
  const auto is_of_trees = [](const std::string& key) {
    return section_of(key) == kWorkload && RequestParams::is_of_trees(key.substr(key.find('.') + 1));
  };
  const auto refuse = [&](const InputPlace& place, const std::string& pipeline) {
    throw input_error(place, "pipeline " + pipeline + ", which is no task tree",
                      "this key with task trees alone");
  };
  for (const auto& [key, place] : spec.places) {
    if (!is_of_trees(key)) continue;
    for (std::size_t i = 0; i < pipelines.size(); ++i) {
      if (!pipelines[i].has_tasks()) refuse(place, spec.workload.pipelines[i].name);
    }
  }
  const auto is_tree = [](const Pipeline& pipeline) { return pipeline.has_tasks(); };
  for (const SweepAxis& axis : spec.sweeps) {
    if (is_of_trees(axis.key) && std::none_of(pipelines.begin(), pipelines.end(), is_tree))
      refuse(axis.place, spec.workload.pipelines.front().name);
  }
}

void check_settings(const ExperimentSpec& spec, const Settings& settings, const RunSpec& run) {
  if (settings.planner.autoscale && settings.planner.workers != WorkerRule::kRate) {
    throw input_error(place_of(spec, "planner.autoscale"), "true with workers = balanced",
                      "true with workers = rate");
  }
  for (std::size_t k = 0; k < run.pipeline.modules.size(); ++k) {
    int most = run.profiles[k].max_batch();
    for (const ClusterDevice& device : run.devices) {
      if (device.profiles[k]) most = std::max(most, device.profiles[k]->max_batch());
    }
    const int batch = run.module_overrides[k].batch;
    if (batch <= most) continue;
    throw input_error(
        place_of(spec, "module." + run.pipeline.modules[k].name + ".batch"), std::to_string(batch),
        "at most " + std::to_string(most) + ", the largest batch in the profile of " + run.profiles[k].model);
  }
}

void check_placement(const ExperimentSpec& spec, const SystemSpec& named, const System& system,
                     const RunSpec& run) {
  if (run.planner.placement.empty()) return;
  const InputPlace place = place_of(spec, "planner.placement");
  if (!system.traits().serves_placements)
    throw input_error(place, "a placement with " + named.name + ", which plans for itself",
                      names_of_those(&SystemTraits::serves_placements));
  if (!named.planner.empty())
    throw input_error(named.place, "planner = " + named.planner + " beside planner.placement", "one of them");
  if (run.planner.autoscale)
    throw input_error(place_of(spec, "planner.autoscale"), "true beside planner.placement", "one of them");
  std::vector<bool> is_placed(run.profiles.size());
  for (const WorkerGroup& group : placed_groups(run.pipeline, run.workers, run.planner.placement, place)) {
    for (const ModuleId module : group.modules) is_placed[module] = true;
  }
  for (std::size_t m = 0; m < run.profiles.size(); ++m) {
    const std::string& module = run.pipeline.modules[m].name;
    if (!is_placed[m] && !run.pipeline.independent)
      throw input_error(place, module + " on no worker", "each module of a pipeline on a worker");
    if (run.profiles[m].service != Service::kBatch || run.profiles[m].gpus > 1)
      throw input_error(place, module + ", whose workers are no single GPUs",
                        "models that run in batches on one GPU");
    if (run.module_overrides[m].workers > 0)
      throw input_error(place_of(spec, "module." + module + ".workers"), "workers beside planner.placement",
                        "one of them");
  }
}

void check_plans_again(const ExperimentSpec& spec, const std::string& system, const RunSpec& run,
                       const Plan& plan) {
  const ServingContext context = make_context(run);
  if (run.system->replan_period_ns(context) > 0) return;
  if (run.planner.autoscale && plan.groups.empty() && run.system->make_planner(context) == nullptr) return;
  throw input_error(
      place_of(spec, "planner.initial_workers"),
      std::to_string(run.planner.initial_workers) + " with " + system + ", which keeps its first plan",
      "0, planner.autoscale = true, or a system whose own planner plans again");
}

}  // namespace harness

#include "harness/engine/dispatch/initial_plan.h"

#include <algorithm>
#include <string>
#include <utility>

#include "harness/core/check.h"
#include "harness/core/input_error.h"
#include "harness/engine/dispatch/load_meter.h"
#include "harness/engine/dispatch/worker_manager.h"
#include "harness/serving/sizing_planner.h"

namespace harness {

ServingContext make_context(const RunSpec& spec, const RequestSizes* sizes) {
  ServingContext context;
  context.pipeline = &spec.pipeline;
  for (const Profile& profile : spec.profiles) context.profiles.push_back(&profile);
  context.devices = spec.devices;
  context.slo_ns = spec.slo_ns;
  context.streams = spec.streams;
  if (context.streams.empty()) context.streams.push_back({0, spec.slo_ns, 0});
  context.workers = spec.workers;
  context.servers = spec.servers;
  context.seed = spec.seed;
  context.serving = spec.serving;
  for (ModuleId m = 0; m < spec.profiles.size(); ++m)
    context.activation_ns.push_back(ms_to_ns(spec.planner.plan_time_ms) + activation_ns(spec, m));
  context.planning = spec.planning.get();
  context.sizes = sizes;
  return context;
}

std::unique_ptr<Planner> make_planner(const RunSpec& spec, const ServingContext& context) {
  std::unique_ptr<Planner> own =
      spec.planner.placement.empty() ? spec.system->make_planner(context) : nullptr;
  return own ? std::move(own) : make_sizing_planner(context, spec.planner, spec.module_overrides);
}

LoadStatistics initial_load(const RunSpec& spec, const ServingContext& context, double offered_rps) {
  LoadStatistics load{offered_rps, {}, peaks_at(spec, 0, 0)};
  if (!spec.streams.empty()) load.module_rps = stream_rps(context);
  return load;
}

Plan start_of(const RunSpec& spec, Plan plan) {
  const int most = spec.planner.initial_workers;
  if (most == 0) return plan;
  const auto runs_in_batches = [&](ModuleId m) { return spec.profiles[m].service == Service::kBatch; };
  for (WorkerGroup& group : plan.groups) {
    if (!std::ranges::all_of(group.modules, runs_in_batches)) continue;
    const int fewer = std::max(0, group.workers - most);
    group.workers -= fewer;
    for (const ModuleId module : group.modules) plan.modules[module].workers -= fewer;
  }
  if (!plan.groups.empty()) return plan;
  for (ModuleId m = 0; m < plan.modules.size(); ++m) {
    if (runs_in_batches(m)) plan.modules[m].workers = std::min(plan.modules[m].workers, most);
  }
  return plan;
}

Plan initial_plan(const RunSpec& spec, double offered_rps) {
  const ServingContext context = make_context(spec);
  const std::unique_ptr<Planner> planner = make_planner(spec, context);
  return initial_plan(spec, context, *planner, offered_rps);
}

Plan initial_plan(const RunSpec& spec, const ServingContext& context, Planner& planner, double offered_rps) {
  Plan plan = planner.plan(0, initial_load(spec, context, offered_rps), {});
  spec.system->refine(context, plan);
  return start_of(spec, std::move(plan));
}

void settle_devices(RunSpec& spec, const Plan& plan) {
  if (spec.devices.size() < 2) return;
  std::vector<int> needed(spec.devices.size(), 0);
  for (std::size_t m = 0; m < plan.modules.size(); ++m) {
    const ModulePlan& module = plan.modules[m];
    HARNESS_CHECK_DECISION(module.device < spec.devices.size() && spec.devices[module.device].profiles[m],
                           "a plan names a kind of device on which the model does not run");
    needed[module.device] += module.workers;
    spec.profiles[m] = *spec.devices[module.device].profiles[m];
  }
  for (std::size_t kind = 0; kind < needed.size(); ++kind) {
    const ClusterDevice& device = spec.devices[kind];
    if (needed[kind] > device.count) {
      throw InputError("the plan needs " + std::to_string(needed[kind]) + " of the devices '" + device.name +
                       "', the cluster has " + std::to_string(device.count));
    }
  }
}

}  // namespace harness

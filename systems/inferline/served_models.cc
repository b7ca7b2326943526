#include "systems/inferline/served_models.h"

namespace harness {
namespace {

std::vector<ModuleId> served_modules(const Pipeline& pipeline) {
  std::vector<ModuleId> modules;
  for (ModuleId m = 0; m < pipeline.modules.size(); ++m) {
    if (pipeline.task_of(m) == m) modules.push_back(m);
  }
  return modules;
}

}  // namespace

Pipeline most_accurate_part(const Pipeline& pipeline) {
  Pipeline part = pipeline;
  if (!pipeline.has_tasks()) return part;
  part.modules.clear();
  std::vector<ModuleId> place(pipeline.modules.size(), 0);
  for (Task& task : part.tasks) {
    const auto model = static_cast<ModuleId>(part.modules.size());
    place[task.first] = model;
    Module& module = part.modules.emplace_back(pipeline.modules[task.first]);
    module.task = model;
    task.first = model;
    task.variants = 1;
  }
  for (Module& module : part.modules) {
    for (ModuleId& pre : module.pres) pre = place[pre];
    for (ModuleId& sub : module.subs) sub = place[sub];
  }
  return part;
}

ServedModels::ServedModels(const ServingContext& context)
    : pipeline_(most_accurate_part(*context.pipeline)),
      modules_(served_modules(*context.pipeline)),
      devices_(context.devices.begin(), context.devices.end()),
      context_(context) {
  context_.pipeline = &pipeline_;
  context_.profiles.clear();
  context_.activation_ns.clear();
  for (const ModuleId module : modules_) {
    context_.profiles.push_back(context.profiles[module]);
    if (!context.activation_ns.empty()) context_.activation_ns.push_back(context.activation_ns[module]);
  }
  for (ClusterDevice& device : devices_) {
    std::vector<std::optional<Profile>> profiles;
    for (const ModuleId module : modules_) profiles.push_back(std::move(device.profiles[module]));
    device.profiles = std::move(profiles);
  }
  context_.devices = devices_;
}

}  // namespace harness

#include "systems/inferline/served_models.h"

#include <utility>

namespace harness {
namespace {

std::vector<ModuleId> served_modules(const Pipeline& pipeline) {
  std::vector<ModuleId> modules;
  for (ModuleId m = 0; m < pipeline.modules.size(); ++m) {
    if (pipeline.task_of(m) == m) modules.push_back(m);
  }
  return modules;
}

/// Returns the pipeline without the other modules, to which no edge may lead from `modules`.
Pipeline part_with(const Pipeline& pipeline, const std::vector<ModuleId>& modules) {
  Pipeline part = pipeline;
  part.modules.clear();
  std::vector<ModuleId> place(pipeline.modules.size(), 0);
  for (const ModuleId module : modules) {
    place[module] = static_cast<ModuleId>(part.modules.size());
    part.modules.push_back(pipeline.modules[module]);
  }
  for (Module& module : part.modules) {
    for (ModuleId& pre : module.pres) pre = place[pre];
    for (ModuleId& sub : module.subs) sub = place[sub];
    if (pipeline.has_tasks()) module.task = place[module.task];
  }
  for (Task& task : part.tasks) {
    task.first = place[task.first];
    task.variants = 1;
  }
  return part;
}

std::vector<ModuleId> modules_from(const Pipeline& pipeline, ModuleId entry) {
  const std::vector<ModuleId> entries = entries_of(pipeline);
  std::vector<ModuleId> modules;
  for (const ModuleId m : served_modules(pipeline)) {
    if (entries[m] == entry) modules.push_back(m);
  }
  return modules;
}

}  // namespace

Pipeline most_accurate_part(const Pipeline& pipeline) {
  return pipeline.has_tasks() ? part_with(pipeline, served_modules(pipeline)) : pipeline;
}

ServedModels::ServedModels(const ServingContext& context)
    : ServedModels(context, served_modules(*context.pipeline)) {}

ServedModels::ServedModels(const ServingContext& context, std::vector<ModuleId> modules)
    : pipeline_(part_with(*context.pipeline, modules)),
      modules_(std::move(modules)),
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

ServedModels::ServedModels(const ServingContext& context, ModuleId entry)
    : ServedModels(context, modules_from(*context.pipeline, entry)) {
  context_.slo_ns = context.slo_of_entry(entry);
  pipeline_.independent = false;
  if (entries_in(*context.pipeline).size() == 1) return;  // all streams enter here
  context_.streams.clear();
  for (const Stream& stream : context.streams) {
    has_stream_.push_back(stream.entry == entry);
    if (stream.entry == entry) context_.streams.push_back({0, stream.slo_ns, stream.rate_rps});
  }
  if (context.planning == nullptr) return;
  const PlanningTimes& all = *context.planning;
  planning_.sample = own_times(all.sample, all.sample_streams);
  planning_.sample_ns = all.sample_ns;
  planning_.run = own_times(all.run, all.run_streams);
  planning_.run_ns = all.run_ns;
  context_.planning = &planning_;
}

std::vector<TimeNs> ServedModels::own_times(std::span<const TimeNs> sent_ns,
                                            std::span<const StreamId> streams) const {
  std::vector<TimeNs> own;
  for (std::size_t i = 0; i < sent_ns.size(); ++i) {
    if (has_stream_.empty() || has_stream_[streams[i]]) own.push_back(sent_ns[i]);
  }
  return own;
}

}  // namespace harness

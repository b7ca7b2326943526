#include "harness/experiment/cells/bounds.h"

#include "harness/engine/bounds/fluid_bound.h"
#include "harness/engine/bounds/offline_schedule.h"
#include "harness/files/sha256.h"

namespace harness {
namespace {

/// Returns a text of all that the bounds depend on.
std::string bounds_text(const std::string& arrivals, const RunSpec& spec, const RunRecord& record) {
  std::string text = arrivals + "\n";
  const auto add = [&text](std::int64_t value) { text += std::to_string(value) + " "; };
  add(spec.slo_ns);
  add(static_cast<std::int64_t>(spec.seed));  // the seed of the routes
  add(static_cast<std::int64_t>(record.sent));
  if (spec.measured_from_ns > 0) add(spec.measured_from_ns);
  WorldParams world = spec.world;
  ParamList params;
  world.list(params);
  for (const Param& param : params.params()) text += param.name + "=" + text_of(param.get()) + " ";
  for (std::size_t m = 0; m < spec.profiles.size(); ++m) {
    text += "\nmodule ";
    add(static_cast<std::int64_t>(spec.profiles[m].service));
    for (const ModuleId pre : spec.pipeline.modules[m].pres) add(pre);
    if (spec.pipeline.modules[m].branches == Branches::kEach) text += "each ";
    for (const double weight : spec.pipeline.modules[m].branch_weights) text += text_of(weight) + " ";
    text += ": ";
    for (const TimeNs latency : spec.profiles[m].latency_ns) add(latency);
    if (spec.profiles[m].cpu_ns > 0)
      text += "cpu " + std::to_string(spec.profiles[m].cpu_ns) + " " + std::to_string(spec.profiles[m].cores);
  }
  for (const Fault& fault : spec.faults) {
    text += "\nfault ";
    add(static_cast<std::int64_t>(fault.kind));
    for (const TimeNs time : {fault.at_ns, fault.for_ns, fault.delay_ns}) add(time);
    for (const int gpu : {fault.first_gpu, fault.gpus}) add(gpu);
    text += text_of(fault.factor);
  }
  for (const PlanRow& row : record.plans) {
    text += "\nplan ";
    add(row.at_ns);
    add(row.module);
    add(row.workers);
    add(row.max_batch);
    if (row.cores > 0) add(row.cores);
  }
  if (record.shares_workers) text += "\nworkers";
  for (const WorkerTotals& worker : record.workers) {
    if (record.shares_workers)
      text += " " + std::to_string(worker.ready_ns) + "-" + std::to_string(worker.removed_ns);
  }
  return text;
}

}  // namespace

const Bounds& BoundCache::of(const std::string& arrivals, const RunSpec& spec, const RunRecord& record) {
  const std::string key = sha256_of(bounds_text(arrivals, spec, record));
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  return known_.emplace(key, Bounds{fluid_bound(spec, record), offline_schedule(spec, record)}).first->second;
}

}  // namespace harness

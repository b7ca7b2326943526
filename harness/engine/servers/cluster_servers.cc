#include "harness/engine/servers/cluster_servers.h"

#include "harness/core/check.h"

namespace harness {
namespace {

std::vector<double> memory_of_modules(const RunSpec& spec) {
  std::vector<double> mb;
  for (const Profile& profile : spec.profiles) mb.push_back(profile.memory_mb);
  return mb;
}

}  // namespace

ClusterServers::ClusterServers(const RunSpec& spec, const ServingContext& context, GpuPlaces& places)
    : spec_(spec),
      places_(places),
      memory_(places.servers(), spec.servers.memory_mb, memory_of_modules(spec)),
      placement_(places.servers() > 0 ? spec.system->make_placement(context) : nullptr),
      cores_(spec.profiles.size(), 0),
      used_cores_(places.servers(), 0),
      views_(places.servers()) {
  for (std::uint32_t server = 0; server < views_.size(); ++server) {
    views_[server].modules.resize(spec.profiles.size());
    refresh(server);
  }
}

void ClusterServers::refresh(std::uint32_t server) {
  ServerView& view = views_[server];
  view.free_gpus = places_.free_of(server);
  if (spec_.servers.cores > 0) view.free_cores = spec_.servers.cores - used_cores_[server];
  HARNESS_CHECK_DECISION(view.free_cores >= 0, "a plan gives the workers of a server more cores than it has");
  view.free_memory_mb = memory_.free_mb(server);
  for (ModuleId module = 0; module < view.modules.size(); ++module) {
    view.modules[module].is_kept = memory_.is_kept(server, module);
    view.modules[module].is_shared = memory_.is_shared(server, module);
    view.modules[module].is_source = memory_.is_source(server, module);
  }
}

void ClusterServers::on_plan(TimeNs now, const Plan& plan) {
  HARNESS_CHECK_DECISION(plan.groups.empty(), "a plan has groups of workers on a cluster of servers");
  if (placement_) placement_->on_plan(now, plan);
}

void ClusterServers::set_cores(const Plan& plan) {
  for (ModuleId module = 0; module < cores_.size(); ++module) cores_[module] = plan.modules[module].cores;
  for (Instance& instance : instances_) {
    if (instance.server == kNone || instance.drains) continue;
    used_cores_[instance.server] += cores_of(instance.module) - instance.cores;
    instance.cores = cores_of(instance.module);
  }
  for (std::uint32_t server = 0; server < views_.size(); ++server) refresh(server);
}

bool ClusterServers::fits(std::uint32_t server, ModuleId module) const {
  const ServerView& view = views_[server];
  return view.free_gpus >= spec_.profiles[module].gpus && view.free_cores >= cores_of(module) &&
         memory_.could_fit(server, module);
}

std::uint32_t ClusterServers::choose(TimeNs now, ModuleId module) {
  if (placement_) {
    const std::uint32_t server = placement_->place(now, module, views_);
    HARNESS_CHECK_DECISION(server == Placement::kNoServer || (server < views_.size() && fits(server, module)),
                           "a placement names a server that has no room");
    return server;
  }
  for (std::uint32_t server = 0; server < views_.size(); ++server) {
    if (fits(server, module)) return server;
  }
  return kNone;
}

void ClusterServers::make_room(TimeNs now, std::uint32_t server, ModuleId module) {
  const double missing_mb = memory_.missing_mb(server, module);
  if (missing_mb == 0 || !placement_) return;
  placement_->make_room(now, server, module, missing_mb, views_[server], decisions_);
  carry_out(server, kNoModule);
}

std::uint32_t ClusterServers::enter(TimeNs now, std::uint32_t server, ModuleId module, WorkerId worker,
                                    std::uint32_t on) {
  make_room(now, server, module);
  if (instances_.size() <= worker) instances_.resize(worker + std::size_t{1});
  Instance& instance = instances_[worker];
  instance.server = server;
  instance.module = module;
  instance.cores = cores_of(module);
  instance.from_memory = memory_.is_kept(server, module);
  memory_.enter(server, module, worker, instance.from_memory);
  used_cores_[server] += instance.cores;
  ++views_[server].modules[module].instances;
  touch(now, server, module);
  const std::uint32_t gpu = places_.take_of(server, worker, spec_.profiles[module].gpus, on);
  refresh(server);
  return gpu;
}

void ClusterServers::on_started(TimeNs now, WorkerId worker) {
  const Instance& instance = instances_[worker];
  memory_.on_loaded(instance.server, instance.module, worker);
  touch(now, instance.server, instance.module);
  refresh(instance.server);
  if (!placement_) return;
  placement_->on_started(now, instance.server, instance.module, views_[instance.server], decisions_);
  carry_out(instance.server, kNoModule);
}

void ClusterServers::leave(TimeNs now, WorkerId worker) {
  Instance& instance = instances_[worker];
  if (instance.server == kNone) return;
  const std::uint32_t server = instance.server;
  instance.server = kNone;
  used_cores_[server] -= instance.cores;
  places_.release_of(server, worker);
  --views_[server].modules[instance.module].instances;
  const bool was_loaded = memory_.leave(server, instance.module, worker);
  if (was_loaded) touch(now, server, instance.module);
  refresh(server);
  if (!placement_ || !was_loaded) return;
  placement_->on_left(now, server, instance.module, views_[server], decisions_);
  carry_out(server, instance.module);
}

void ClusterServers::carry_out(std::uint32_t server, ModuleId left) {
  for (const MemoryDecisions::Decision& decision : decisions_.list()) {
    HARNESS_CHECK_DECISION(decision.module < views_[server].modules.size(),
                           "a placement keeps or drops the parameters of no module");
    if (decision.keeps)
      memory_.keep(server, decision.module, decision.module == left);
    else
      memory_.drop(server, decision.module);
  }
  decisions_.clear();
  refresh(server);
}

void ClusterServers::on_stops(std::uint32_t first_gpu, std::uint32_t gpus) {
  for (std::uint32_t server = places_.server_of(first_gpu); server <= places_.server_of(first_gpu + gpus - 1);
       ++server) {
    if (places_.is_stopped(server)) memory_.lose(server);
    refresh(server);
  }
}

}  // namespace harness

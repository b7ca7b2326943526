// The servers of a run: the instances on each, and the choice of the server where an instance starts.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "harness/engine/run_spec.h"
#include "harness/engine/servers/gpu_places.h"
#include "harness/engine/servers/host_memory.h"
#include "harness/serving/placement.h"
#include "harness/serving/plan.h"

namespace harness {

/// Keeps the accounts of GPUs, cores and host memory, asks the system's placement and checks its answers.
/// Each call is an event at `now`; a placement may be asked during it. Without servers only exist() may be
/// called. Single-threaded.
class ClusterServers {
 public:
  /// All arguments outlive this object. Nobody else gives away the `places` that belong to servers.
  ClusterServers(const RunSpec& spec, const ServingContext& context, GpuPlaces& places);

  bool exist() const { return !views_.empty(); }

  /// Called when a plan takes effect, before anybody leaves because of it.
  void on_plan(TimeNs now, const Plan& plan);
  /// Called when the instances that the plan takes away drain: gives the others the cores that it says. A
  /// plan that needs more cores on some server than the server has is illegal. A plan that gives each GPU its
  /// share of a server's cores never is.
  void set_cores(const Plan& plan);
  /// Returns the server on which an instance of the module starts; kNone: it waits.
  std::uint32_t choose(TimeNs now, ModuleId module);
  /// True if the server has room for an instance as it is.
  bool fits_now(std::uint32_t server, ModuleId module) const {
    return fits(server, module) && memory_.missing_mb(server, module) == 0;
  }

  /// Starts the worker, an instance of the module, on the server, where it must fit; on that free GPU, unless
  /// it is kNone. Returns its first place.
  std::uint32_t enter(TimeNs now, std::uint32_t server, ModuleId module, WorkerId worker, std::uint32_t on);
  /// True if it starts from parameters that are kept there.
  bool is_from_memory(WorkerId worker) const { return instances_[worker].from_memory; }
  void on_started(TimeNs now, WorkerId worker);
  void on_draining(WorkerId worker) { instances_[worker].drains = true; }
  /// Removes a worker that is gone or lost. A second call has no effect.
  void leave(TimeNs now, WorkerId worker);
  /// Called when these GPUs have stopped, and their workers have left, or when some of them run again. A
  /// server has lost its memory if none of its GPUs runs.
  void on_stops(std::uint32_t first_gpu, std::uint32_t gpus);

 private:
  struct Instance {
    std::uint32_t server = kNone;
    ModuleId module = 0;
    int cores = 0;
    bool from_memory = false;
    bool drains = false;
  };

  int cores_of(ModuleId module) const {
    return cores_[module] > 0 ? cores_[module] : spec_.profiles[module].cores;
  }
  /// True if the server has room for an instance, perhaps after kept copies have gone.
  bool fits(std::uint32_t server, ModuleId module) const;
  /// Brings the server's view up to date and checks its cores.
  void refresh(std::uint32_t server);
  void touch(TimeNs now, std::uint32_t server, ModuleId module) {
    views_[server].modules[module].used_ns = now;
  }
  void make_room(TimeNs now, std::uint32_t server, ModuleId module);
  /// Carries out what the placement has decided. The parameters of `left` were in memory until now
  /// (kNoModule: no module's).
  void carry_out(std::uint32_t server, ModuleId left);
  static constexpr ModuleId kNoModule = 0xffff;

  const RunSpec& spec_;
  GpuPlaces& places_;
  HostMemory memory_;
  std::unique_ptr<Placement> placement_;  ///< may be null
  std::vector<int> cores_;                ///< cores of each module by the plan in force
  std::vector<int> used_cores_;           ///< used cores of each server
  std::vector<Instance> instances_;       ///< instance of each worker
  std::vector<ServerView> views_;         ///< view of each server
  MemoryDecisions decisions_;             ///< scratch
};

}  // namespace harness

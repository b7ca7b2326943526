// The servers of a run: what stands on each, and where instances start.
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

/// Keeps the books of GPUs, cores and host memory, asks the system's placement and checks what it answers.
/// Each call is an event at `now`; a placement may be asked during it. Without servers none but exist() is
/// called. Single-threaded.
class ClusterServers {
 public:
  /// All outlive this. Of the `places` that belong to servers nobody else gives any away.
  ClusterServers(const RunSpec& spec, const ServingContext& context, GpuPlaces& places);

  bool exist() const { return !views_.empty(); }

  /// A plan takes effect, before anybody leaves because of it.
  void on_plan(TimeNs now, const Plan& plan);
  /// Those that it takes away drain: the others have the cores that it says. A plan whose cores are more than
  /// some server's is illegal; cores / GPUs of a server for each GPU never are.
  void set_cores(const Plan& plan);
  /// The server on which an instance of the module starts; kNone: it waits.
  std::uint32_t choose(TimeNs now, ModuleId module);
  /// Whether the server has room for one as it is.
  bool fits_now(std::uint32_t server, ModuleId module) const {
    return fits(server, module) && memory_.missing_mb(server, module) == 0;
  }

  /// The worker, an instance of the module, starts there, where it fits; on that free GPU, unless it is
  /// kNone. Returns its first place.
  std::uint32_t enter(TimeNs now, std::uint32_t server, ModuleId module, WorkerId worker, std::uint32_t on);
  /// Whether it starts from parameters that are kept there.
  bool is_from_memory(WorkerId worker) const { return instances_[worker].from_memory; }
  void on_started(TimeNs now, WorkerId worker);
  void on_draining(WorkerId worker) { instances_[worker].drains = true; }
  /// It is gone, or lost; again without effect.
  void leave(TimeNs now, WorkerId worker);
  /// These GPUs have stopped, and their workers have left, or some of them run again. A server none of whose
  /// GPUs runs has lost its memory.
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
  /// Whether the server has room for one, perhaps after kept copies have gone.
  bool fits(std::uint32_t server, ModuleId module) const;
  /// Brings the server's view up to date and checks its cores.
  void refresh(std::uint32_t server);
  void touch(TimeNs now, std::uint32_t server, ModuleId module) {
    views_[server].modules[module].used_ns = now;
  }
  void make_room(TimeNs now, std::uint32_t server, ModuleId module);
  /// What the placement has decided; the parameters of `left` were in memory until now (kNoModule: none's).
  void carry_out(std::uint32_t server, ModuleId left);
  static constexpr ModuleId kNoModule = 0xffff;

  const RunSpec& spec_;
  GpuPlaces& places_;
  HostMemory memory_;
  std::unique_ptr<Placement> placement_;  ///< may be null
  std::vector<int> cores_;                ///< by module, of the plan in force
  std::vector<int> used_cores_;           ///< by server
  std::vector<Instance> instances_;       ///< by worker
  std::vector<ServerView> views_;         ///< by server
  MemoryDecisions decisions_;             ///< scratch
};

}  // namespace harness

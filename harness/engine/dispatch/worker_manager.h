// The workers of a run: the GPU and the queue of each, and the workers that come and go by plans and faults.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/engine/accounting/accounting.h"
#include "harness/engine/dispatch/module_queues.h"
#include "harness/engine/queues/engine_tables.h"
#include "harness/engine/run_spec.h"
#include "harness/engine/servers/cluster_servers.h"
#include "harness/engine/servers/gpu_places.h"
#include "harness/engine/to_queues.h"
#include "harness/serving/plan.h"

namespace harness {

/// Returns the time that a worker of the module takes until it can serve, if it is started during a run
/// (RunSpec::world). It loads from disk, or from parameters that its server keeps in memory.
TimeNs activation_ns(const RunSpec& spec, ModuleId module, bool from_memory = false);

/// Carries plans out: starts workers, drains them, opens queues and closes them, and keeps the routers' views
/// of the queues (ModuleQueues::views). Each call is an event at `now`. Single-threaded.
class WorkerManager {
 public:
  /// All arguments outlive this object.
  WorkerManager(const RunSpec& spec, const ServingContext& context, ToQueues& to_queues, EngineTables& tables,
                Accounting& accounting, std::vector<ModuleQueues>& queues);

  /// Starts the workers of the first plan, all warm. `plan`, which queues and routers know already, outlives
  /// this object and changes only right before follow().
  void start(TimeNs now, const Plan& plan);
  /// Scales groups up and down to that plan, which has changed.
  void follow(TimeNs now);
  /// Called when the worker's cold start is over.
  void on_worker_ready(TimeNs now, WorkerId worker);
  void on_worker_gone(TimeNs now, WorkerId worker);
  /// Called when a fault begins or ends. Stops are carried out here, other faults at the places where batches
  /// run and messages travel.
  void on_fault(TimeNs now, const Fault& fault, bool begins);

  /// Returns the GPU of the queue's first worker.
  std::uint32_t gpu_of(QueueId queue) const { return queue_gpus_[queue]; }

 private:
  struct LeavingWorker {
    WorkerId worker = 0;
    bool closes = false;  ///< true if its queue closes
  };

  /// Stops GPUs: their workers are lost (except slots of shared servers and threads of remote calls), and the
  /// visits of queues without another worker are routed again. With autoscaling the workers that the plan
  /// lacks are started at once if a GPU is free.
  void stop_gpus(TimeNs now, int first_gpu, int gpus);
  /// Brings GPUs back. Each gets a worker of the group that it served, if the plan still wants one there. The
  /// worker is warm, unless starting means loading parameters (cold_start = cached), which are lost.
  void resume_gpus(TimeNs now, int first_gpu, int gpus);
  /// The place at which a worker of the group finds its GPUs.
  struct FreePlace {
    bool is_free = false;
    std::uint32_t gpu = kNone;     ///< GPU to take; kNone: the lowest that is free
    std::uint32_t server = kNone;  ///< server, if there are servers
  };
  /// Finds a place for a new worker, if there are GPUs for it.
  FreePlace find_place(TimeNs now, GroupId group);
  WorkerId add_worker(TimeNs now, GroupId group, const FreePlace& place);
  /// Makes a worker of that group that has no place yet.
  WorkerId make_worker(GroupId group);
  void open_for(TimeNs now, WorkerId worker);
  /// Finds the worker its queue, of its own or shared with its group, and opens the queue if need be. Returns
  /// true if it was opened.
  bool find_queue(TimeNs now, WorkerId worker);
  void enter_view(WorkerId worker, bool is_new);
  /// Opens queues for modules that no worker serves at the start.
  void open_missing_queues(TimeNs now);
  /// Lets the worker serve, which has its GPU and its queue.
  void begin_serving(TimeNs now, WorkerId worker);
  void drain_worker(TimeNs now, WorkerId worker);
  /// Ends the worker's cold start, or its waiting for a GPU. Returns true if its queue, which has never had a
  /// worker that served, is to close.
  bool abandon_start(TimeNs now, WorkerId worker);
  /// Takes the worker off its queue; returns true if the queue has no worker left and no router sees it any
  /// more.
  bool leave_view(WorkerId worker);
  /// Removes the worker from its group.
  void forget(WorkerId worker);
  /// Starts the workers that the plan lacks while GPUs are free.
  void fill_up(TimeNs now);
  void scale_group(TimeNs now, GroupId group, int direction);
  /// Returns the newest of the group's workers; on servers, a worker that does not serve yet comes first.
  WorkerId next_to_leave(GroupId group) const;
  /// True if as many GPUs of its kind are free as a worker of the group takes; they may be on several
  /// servers.
  bool has_free_gpus(GroupId group) const {
    const std::size_t kind = device_of(group);
    return alive_gpus_[kind] + places_.idle_stopped(kind) + gpus_of(group) <= places_.count(kind);
  }
  int gpus_of(GroupId group) const {
    return servers_.exist() ? spec_.profiles[group].gpus : 1;  // on servers each group is a module
  }
  /// Frees the GPUs of a worker that has left them. A second call has no effect.
  void free_gpus(TimeNs now, WorkerId worker);
  std::size_t device_of(GroupId group) const {
    return plan_->groups.empty() ? plan_->modules[group].device : 0;
  }
  /// Changes the groups to what the plan says. Queues that close leave the routers' views before any visit is
  /// sent on.
  void change_groups(TimeNs now);
  /// Gives GPUs to new groups whose models are in memory (SystemTraits::models_are_preloaded): the new queues
  /// take visits from now on, and their workers follow as these GPUs end what they run for others.
  void hand_over(TimeNs now, std::span<const std::uint32_t> gpus);
  /// Removes the workers that are more than the plan says from their groups. Returns the workers whose
  /// batches may still run. Puts GPUs that others will leave, or were to get, into `gpus`, and queues that
  /// are to close without workers into `empty`.
  std::vector<LeavingWorker> release_workers(TimeNs now, std::vector<std::uint32_t>& gpus,
                                             std::vector<QueueId>& empty);
  /// Updates the lists of groups to a new plan.
  void note_groups();
  void await_gpus();
  /// Starts a new worker of the group, which begins its cold start, and returns true, if there are GPUs for
  /// it.
  bool start_worker(TimeNs now, GroupId group);
  void start_at(TimeNs now, GroupId group, const FreePlace& place);
  TimeNs cold_start_ns(WorkerId worker) const;
  /// Records the workers of all modules that the group serves.
  void record_capacity(TimeNs now, GroupId group);
  /// Records the workers of the module, over all groups that serve it.
  void record_workers(TimeNs now, ModuleId module);
  /// Records all modules, and the groups of the plan in force if it has groups.
  void record_all(TimeNs now);
  void count_serving(GroupId group, int more);
  /// Called when GPUs may be free. With autoscaling it starts workers that the plan lacks; otherwise only
  /// workers that the plan lacked when it took effect, so that lost workers are replaced with the next plan.
  void on_free_gpus(TimeNs now);

  const RunSpec& spec_;
  const ServingContext& context_;
  ToQueues& to_queues_;
  EngineTables& tables_;
  Accounting& accounting_;
  std::vector<ModuleQueues>& queues_;
  const Plan* plan_ = nullptr;  ///< plan in force
  GpuPlaces places_;
  ClusterServers servers_;
  /// True if the queues of modules stay open without workers (SystemTraits::scales_to_zero).
  bool keeps_queues_;
  /// Workers that serve each group, or will; in order of their ids.
  std::vector<std::vector<WorkerId>> workers_of_;
  std::vector<GroupId> used_groups_;  ///< groups with workers in the plan
  /// Groups of the workers that await a GPU, one entry for each worker, the last first.
  std::vector<GroupId> awaiting_;
  std::vector<std::uint32_t> serving_;     ///< number of workers that serve each module or drain
  std::vector<int> alive_gpus_;            ///< number of GPUs that workers have, by kind of device
  std::vector<std::uint32_t> queue_gpus_;  ///< GPU of each queue, by queue id
};

}  // namespace harness

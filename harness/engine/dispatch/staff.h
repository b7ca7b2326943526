// The workers of a run: which GPU and which queue each has, and who comes and goes as plans and faults
// say.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "harness/engine/accounting/accounting.h"
#include "harness/engine/dispatch/request_flow.h"
#include "harness/engine/ports.h"
#include "harness/engine/queues/rank_queues.h"
#include "harness/engine/run_spec.h"
#include "harness/engine/servers/cluster_servers.h"
#include "harness/engine/servers/gpu_places.h"
#include "harness/serving/plan.h"

namespace harness {

/// What a worker of the module takes until it can serve, when it is started during a run (RunSpec::world),
/// from disk or from parameters that its server keeps in memory.
TimeNs activation_ns(const RunSpec& spec, ModuleId module, bool from_memory = false);

/// Carries plans out: starts workers, drains them, opens queues and closes them, and keeps the
/// routers' views of these (ModuleQueues::views). Each call is an event at `now`. Single-threaded.
class Staff {
 public:
  /// Everything outlives this.
  Staff(const RunSpec& spec, const ServingContext& context, ToQueues& to_queues, EngineTables& tables,
        Accounting& accounting, std::vector<ModuleQueues>& queues);

  /// The workers of the first plan, all warm. `plan`, which queues and routers know already, outlives this
  /// and changes only right before follow().
  void start(TimeNs now, const Plan& plan);
  /// Scales groups up and down to that plan, which has changed.
  void follow(TimeNs now);
  /// A cold start is over.
  void on_worker_ready(TimeNs now, WorkerId worker);
  void on_worker_gone(TimeNs now, WorkerId worker);
  /// A fault begins or ends: stops are carried out here, the others where batches run and messages travel.
  void on_fault(TimeNs now, const Fault& fault, bool begins);

  /// The GPU of the queue's first worker.
  std::uint32_t gpu_of(QueueId queue) const { return queue_gpus_[queue]; }

 private:
  struct LeavingWorker {
    WorkerId worker = 0;
    bool closes = false;  ///< its queue
  };

  /// GPUs stop: their workers are lost (slots of shared servers and threads of remote calls are not touched),
  /// queues without another worker are routed again. With autoscaling what the plan lacks is started at once
  /// where a GPU is free.
  void stop_gpus(TimeNs now, int first_gpu, int gpus);
  /// They are back: each gets a worker of the module that it served, if the plan still wants one there: a
  /// warm one, but where start-up times are those of parameters, which are lost.
  void resume_gpus(TimeNs now, int first_gpu, int gpus);
  /// Where a worker of the group finds its GPUs.
  struct Spot {
    bool is_free = false;
    std::uint32_t gpu = kNone;     ///< that one; kNone: the lowest that is free
    std::uint32_t server = kNone;  ///< where there are servers
  };
  /// For a new one, if there are GPUs for it.
  Spot find_spot(TimeNs now, GroupId group);
  WorkerId add_worker(TimeNs now, GroupId group, const Spot& spot);
  /// A worker of that group without a place.
  WorkerId make_worker(GroupId group);
  void open_for(TimeNs now, WorkerId worker);
  /// Finds the worker its queue, of its own or with the others of its group, and opens it if need be.
  /// Returns whether it was opened.
  bool find_queue(TimeNs now, WorkerId worker);
  void enter_view(WorkerId worker, bool is_new);
  /// Of modules that no worker serves at the start.
  void open_missing_queues(TimeNs now);
  /// It has its GPU and its queue.
  void begin_serving(TimeNs now, WorkerId worker);
  void drain_worker(TimeNs now, WorkerId worker);
  /// The worker's cold start, or its waiting for a GPU, ends here. Returns whether its queue is to close,
  /// which it has without ever having had a worker.
  bool abandon_start(TimeNs now, WorkerId worker);
  /// The worker's queue has one worker fewer; true if it has none left and no router sees it any more.
  bool leave_view(WorkerId worker);
  /// It is no longer one of its group's.
  void forget(WorkerId worker);
  /// Starts what the plan lacks while GPUs are free.
  void fill_up(TimeNs now);
  void scale_group(TimeNs now, GroupId group, int direction);
  /// Of the group's workers the newest; of servers' those that do not serve yet first.
  WorkerId next_to_leave(GroupId group) const;
  /// As many as a worker of the group takes, of its kind; perhaps on several servers.
  bool has_free_gpus(GroupId group) const {
    const std::size_t kind = device_of(group);
    return alive_gpus_[kind] + places_.idle_stopped(kind) + gpus_of(group) <= places_.count(kind);
  }
  int gpus_of(GroupId group) const {
    return servers_.exist() ? spec_.profiles[group].gpus : 1;  // servers have no groups but modules
  }
  /// The worker has left its GPUs; again without effect.
  void free_gpus(TimeNs now, WorkerId worker);
  std::size_t device_of(GroupId group) const {
    return plan_->groups.empty() ? plan_->modules[group].device : 0;
  }
  /// As the plan's groups say. No router sees a queue that closes before any is sent on.
  void change_groups(TimeNs now);
  /// Models are in memory (System::models_are_preloaded): the new queues take visits from now on, their
  /// workers follow as these GPUs end what they run for others.
  void hand_over(TimeNs now, std::span<const std::uint32_t> gpus);
  /// What is more than the plan says is no longer its group's. Returns the workers whose batches may still
  /// run; GPUs that others will leave, or were to get, are in `gpus`, and what is to close without workers in
  /// `empty`.
  std::vector<LeavingWorker> release_workers(TimeNs now, std::vector<std::uint32_t>& gpus,
                                             std::vector<QueueId>& empty);
  /// Of a new plan.
  void note_groups();
  void await_gpus();
  /// A new worker of the group begins its cold start, if there are GPUs for it.
  bool start_worker(TimeNs now, GroupId group);
  void start_at(TimeNs now, GroupId group, const Spot& spot);
  TimeNs cold_start_ns(WorkerId worker) const;
  /// Of all modules that the group serves.
  void record_capacity(TimeNs now, GroupId group);
  /// Of all groups that serve the module.
  void record_workers(TimeNs now, ModuleId module);
  /// All modules, and the groups of the plan in force, if it has some.
  void record_all(TimeNs now);
  void count_serving(GroupId group, int more);
  /// GPUs may be free: with autoscaling starts what the plan lacks; otherwise what it lacked when it took
  /// effect, so that lost workers are replaced with the next plan.
  void on_free_gpus(TimeNs now);

  const RunSpec& spec_;
  const ServingContext& context_;
  ToQueues& to_queues_;
  EngineTables& tables_;
  Accounting& accounting_;
  std::vector<ModuleQueues>& queues_;
  const Plan* plan_ = nullptr;  ///< in force
  GpuPlaces places_;
  ClusterServers servers_;
  bool keeps_queues_;  ///< those of modules stay open without workers (System::scales_to_zero)
  std::vector<std::vector<WorkerId>> workers_of_;  ///< by group: that serve it, or will; by their numbers
  std::vector<GroupId> used_groups_;               ///< those with workers in the plan
  std::vector<GroupId> awaiting_;                  ///< one for each worker that awaits a GPU, the last first
  std::vector<std::uint32_t> serving_;             ///< by module: workers that serve it or drain
  std::vector<int> alive_gpus_;                    ///< by kind of device: that workers have
  std::vector<std::uint32_t> queue_gpus_;          ///< by queue id
};

}  // namespace harness

// The workers of a run: which GPU and which queue domain each has, and who comes and goes as plans and faults
// say.
#pragma once

#include <span>
#include <vector>

#include "harness/engine/books.h"
#include "harness/engine/domain_group.h"
#include "harness/engine/gpu_places.h"
#include "harness/engine/ports.h"
#include "harness/engine/request_flow.h"
#include "harness/engine/run_spec.h"

namespace harness {

/// Carries plans out: starts workers, drains them, opens queue domains and closes them, and keeps the
/// routers' views of these (ModuleDomains::views). Each call is an event at `now`. Single-threaded.
class Staff {
 public:
  /// Everything outlives this.
  Staff(const RunSpec& spec, const ServingContext& context, ToDomains& to_domains, EngineTables& tables,
        Books& books, std::vector<ModuleDomains>& domains);

  /// The workers of the first plan, all warm. `plan`, which domains and routers know already, outlives this
  /// and changes only right before follow().
  void start(TimeNs now, const Plan& plan);
  /// Scales groups up and down to that plan, which has changed.
  void follow(TimeNs now);
  /// A cold start is over.
  void on_worker_ready(TimeNs now, WorkerId worker);
  void on_worker_gone(TimeNs now, WorkerId worker);
  /// A fault begins or ends: stops are carried out here, the others where batches run and messages travel.
  void on_fault(TimeNs now, const Fault& fault, bool begins);

  /// The GPU of the domain's first worker.
  std::uint32_t gpu_of(DomainId domain) const { return domain_gpus_[domain]; }

 private:
  struct LeavingWorker {
    WorkerId worker = 0;
    bool closes = false;  ///< its domain
  };

  /// GPUs stop: their workers are lost (slots of shared servers and threads of remote calls are not touched),
  /// queues without another worker are routed again. With autoscaling what the plan lacks is started at once
  /// where a GPU is free.
  void stop_gpus(TimeNs now, int first_gpu, int gpus);
  /// They are back: each gets a warm worker of the module that it served, if the plan still wants one there.
  void resume_gpus(TimeNs now, int first_gpu, int gpus);
  /// At the lowest free place, or at that GPU.
  WorkerId add_worker(GroupId group, std::uint32_t gpu = kNone);
  /// A worker of that group without a place.
  WorkerId make_worker(GroupId group);
  void open_for(TimeNs now, WorkerId worker);
  /// Finds the worker its domain, of its own or with the others of its group, and opens it if need be.
  /// Returns whether it was opened.
  bool find_domain(TimeNs now, WorkerId worker);
  void enter_view(WorkerId worker, bool is_new);
  /// It has its GPU and its domain.
  void begin_serving(TimeNs now, WorkerId worker);
  void drain_worker(TimeNs now, WorkerId worker);
  /// The worker's cold start, or its waiting for a GPU, ends here. Returns whether its domain is to close,
  /// which it has without ever having had a worker.
  bool abandon_start(TimeNs now, WorkerId worker);
  /// The worker's domain has one worker fewer; true if it has none left and no router sees it any more.
  bool leave_view(WorkerId worker);
  /// It is no longer one of its group's.
  void forget(WorkerId worker);
  /// Starts what the plan lacks while GPUs are free.
  void fill_up(TimeNs now);
  void scale_group(TimeNs now, GroupId group, int direction);
  bool has_free_gpu() const { return alive_workers_ + places_.idle_stopped() < spec_.workers; }
  /// As the plan's groups say. No router sees a queue that closes before any is sent on.
  void change_groups(TimeNs now);
  /// Models are in memory (System::loads_ahead): the new domains take visits from now on, their workers
  /// follow as these GPUs end what they run for others.
  void hand_over(TimeNs now, std::span<const std::uint32_t> gpus);
  /// What is more than the plan says is no longer its group's. Returns the workers whose batches may still
  /// run; GPUs that others will leave, or were to get, are in `gpus`, and what is to close without workers in
  /// `empty`.
  std::vector<LeavingWorker> release_workers(TimeNs now, std::vector<std::uint32_t>& gpus,
                                             std::vector<DomainId>& empty);
  /// Of a new plan.
  void note_groups();
  void await_gpus();
  /// A new worker of the group begins its cold start.
  void start_worker(GroupId group);
  TimeNs cold_start_ns(GroupId group) const;
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
  ToDomains& to_domains_;
  EngineTables& tables_;
  Books& books_;
  std::vector<ModuleDomains>& domains_;
  const Plan* plan_ = nullptr;  ///< in force
  GpuPlaces places_;
  std::vector<std::vector<WorkerId>> workers_of_;  ///< by group: that serve it, or will; by their numbers
  std::vector<GroupId> used_groups_;               ///< those with workers in the plan
  std::vector<GroupId> awaiting_;                  ///< one for each worker that awaits a GPU, the last first
  std::vector<std::uint32_t> serving_;             ///< by module: workers that serve it or drain
  int alive_workers_ = 0;                          ///< that have a GPU, or drain
  std::vector<std::uint32_t> domain_gpus_;         ///< by domain id
};

}  // namespace harness

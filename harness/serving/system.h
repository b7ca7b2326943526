// A serving system: planner + router + scheduler + controller, made from parameters. Each system has a folder
// under systems/.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "harness/serving/controller.h"
#include "harness/serving/placement.h"
#include "harness/serving/plan.h"
#include "harness/serving/planner.h"
#include "harness/serving/router.h"
#include "harness/serving/scheduler.h"
#include "harness/serving/serving_context.h"

namespace harness {

/// Makes the parts of one system. The context outlives all of them. A system object serves one cell.
class System {
 public:
  virtual ~System() = default;

  /// Binds the system's own parameters (without the shared ones) into `params`.
  virtual void list(ParamList& params) = 0;
  /// Binds the parameters that also count if another system plans (composed_system.h).
  virtual void list_serving(ParamList& params) { list(params); }
  /// Makes the scheduler of a queue of that group (Plan::served_by). If the plan has no groups, the group is
  /// a module.
  virtual std::unique_ptr<Scheduler> make_scheduler(const ServingContext& context, QueueId queue,
                                                    GroupId group) = 0;
  /// Makes the planner; null: the shared one is used (sizing_planner.h).
  virtual std::unique_ptr<Planner> make_planner(const ServingContext&) const { return nullptr; }
  /// Makes the controller of a module; null if the system exchanges no state.
  virtual std::unique_ptr<Controller> make_controller(const ServingContext&, ModuleId) { return nullptr; }
  /// Makes the placement, which decides where instances start on a cluster of servers, and what stays in
  /// memory there. Null: instances start on the lowest server that has room, and nothing stays. Called on
  /// such clusters alone.
  virtual std::unique_ptr<Placement> make_placement(const ServingContext&) { return nullptr; }
  /// Returns the names of the first values that the controllers publish, in order; results can hold these
  /// values. A value named "order" says which end of the queue comes first, and its changes are counted.
  virtual std::span<const char* const> state_names() const { return {}; }
  /// Makes the router of a module; by default the one that `serving.dispatch` names.
  virtual std::unique_ptr<Router> make_router(const ServingContext& context, ModuleId module);
  /// True if it serves independent pipelines, each with streams of its own.
  virtual bool serves_streams() const { return false; }
  /// True if it serves task trees, so that it chooses a variant for each visit (Pipeline::tasks).
  virtual bool serves_tasks() const { return false; }
  /// True if it can serve by a plan whose groups the experiment gives (planner.placement), in place of its
  /// own.
  virtual bool serves_placements() const { return false; }
  /// True if its planner is told LoadStatistics::peak_rps, which costs a pass over the arrivals.
  virtual bool wants_peaks() const { return false; }
  /// True if its planner is told a sample of the load (ServingContext::planning) and when requests were sent
  /// (LoadStatistics::sent_ns).
  virtual bool wants_sample() const { return false; }
  /// True if a planner that wants a sample is also told beforehand when the run will send.
  virtual bool wants_foresight() const { return false; }
  /// True if its planner is told LoadStatistics::modules.
  virtual bool wants_module_statistics() const { return false; }
  /// True if its planner chooses a kind of device for each module (ModulePlan::device). If the cluster has
  /// several kinds, no other system is run.
  virtual bool plans_devices() const { return false; }
  /// True if its plans say how many cores workers have (ModulePlan::cores). Profiles must then say which part
  /// of a batch the cores do.
  virtual bool plans_cores() const { return false; }
  /// True if any other system can serve by its plans, and it can serve by the plans of other such systems
  /// (composed_system.h). Its plans then have no groups, and no details that its own routers must read.
  virtual bool plans_for_others() const { return false; }
  /// Returns the time for which its plans hold: the system plans again that often while requests are being
  /// sent, whatever planner.autoscale says, and only then may the groups of its plans change. 0: one plan
  /// with groups holds for the whole run; plans without groups are made again as planner.autoscale says.
  virtual TimeNs replan_period_ns(const ServingContext&) const { return 0; }
  /// True if its plans may leave a module without workers (QUART, section 5.1: stages as functions; no system
  /// does so far). With serving.queue = module, and without groups and task trees, visits that come to such a
  /// module wait in its queue for the next worker, also when its last worker is lost. If the system has a
  /// planning period of its own, planning goes on until no request is left.
  virtual bool scales_to_zero() const { return false; }
  /// True if GPUs that a new plan moves to another group serve that group as soon as the batches that run
  /// there have ended, because the models are in memory. Otherwise the GPUs are free at that moment, and the
  /// new group's workers start cold.
  virtual bool models_are_preloaded() const { return false; }
  /// True if its schedulers preempt; models then run with the exit points of their profiles.
  virtual bool preempts() const { return false; }
  /// Rewrites the latency budgets of a plan that has just been made (Nexus: its own split). By default they
  /// stay unchanged.
  virtual void refine(const ServingContext&, Plan&) {}
};

/// An entry of the list of systems.
struct SystemEntry {
  const char* name;
  const char* summary;  ///< one line that names the paper
  std::unique_ptr<System> (*make)();
  /// Folder under systems/ with its README; null: the folder has the system's name.
  const char* folder = nullptr;
};

}  // namespace harness

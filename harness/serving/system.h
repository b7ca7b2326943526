// A serving system: planner + router + scheduler + controller, made from parameters. One folder under
// systems/ each.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "harness/serving/context.h"
#include "harness/serving/controller.h"
#include "harness/serving/placement.h"
#include "harness/serving/plan.h"
#include "harness/serving/router.h"
#include "harness/serving/scheduler.h"

namespace harness {

/// Makes the parts of one system. The context outlives all of them. A system object serves one cell.
class System {
 public:
  virtual ~System() = default;

  /// Binds the system's own parameters (without the shared ones) into `params`.
  virtual void list(ParamList& params) = 0;
  /// Those of them that count where another system plans (composed_system.h).
  virtual void list_serving(ParamList& params) { list(params); }
  /// The scheduler of a queue of that group (Plan::served_by), which is its module where the plan has no
  /// groups.
  virtual std::unique_ptr<Scheduler> make_scheduler(const ServingContext& context, QueueId queue,
                                                    GroupId group) = 0;
  /// The planner; null for the shared one (sizing_planner.h).
  virtual std::unique_ptr<Planner> make_planner(const ServingContext&) const { return nullptr; }
  /// The controller of a module; null when the system exchanges no state.
  virtual std::unique_ptr<Controller> make_controller(const ServingContext&, ModuleId) { return nullptr; }
  /// Where instances start on a cluster of servers, and what stays in memory there; null: the lowest server
  /// that has room, and nothing stays. Asked for on such clusters alone.
  virtual std::unique_ptr<Placement> make_placement(const ServingContext&) { return nullptr; }
  /// Names of the first values that the controllers publish, in order: those that results can hold. A value
  /// named "order" says which end of the queue comes first, and its changes are counted.
  virtual std::span<const char* const> state_names() const { return {}; }
  /// The router of a module; by default what `serving.dispatch` says.
  virtual std::unique_ptr<Router> make_router(const ServingContext& context, ModuleId module);
  /// Whether it serves independent pipelines, each with streams of its own.
  virtual bool serves_streams() const { return false; }
  /// Whether it serves task trees: chooses a variant for each visit (Pipeline::tasks).
  virtual bool serves_tasks() const { return false; }
  /// Whether it serves by a plan whose groups the experiment gives (planner.placement), in place of its own.
  virtual bool serves_placements() const { return false; }
  /// Whether its planner is told LoadStatistics::peak_rps, which costs a pass over the arrivals.
  virtual bool wants_peaks() const { return false; }
  /// Whether its planner is told a sample of the load (ServingContext::planning) and when requests were sent
  /// (LoadStatistics::sent_ns).
  virtual bool wants_sample() const { return false; }
  /// Of those: whether it is also told beforehand when the run will send.
  virtual bool wants_foresight() const { return false; }
  /// Whether its planner is told LoadStatistics::modules.
  virtual bool wants_module_statistics() const { return false; }
  /// Whether its planner chooses a kind of device for each module (ModulePlan::device). Where the cluster has
  /// several, no other system is run.
  virtual bool plans_devices() const { return false; }
  /// Whether its plans say how many cores workers have (ModulePlan::cores): profiles must say what of a batch
  /// these do then.
  virtual bool plans_cores() const { return false; }
  /// Whether any other system can serve by its plans, and it by those of others (composed_system.h): they
  /// have no groups, and no notes that its own routers must read.
  virtual bool plans_for_others() const { return false; }
  /// How long its plans hold: so often it plans again while requests are being sent, whatever
  /// planner.autoscale says, and only then may the groups of its plans change. 0: one plan with groups holds
  /// for the whole run; plans without groups are made again as planner.autoscale says.
  virtual TimeNs replan_period_ns(const ServingContext&) const { return 0; }
  /// Whether its plans may leave a module without workers (QUART, section 5.1: stages as functions; no system
  /// does so far). With serving.queue = module, and without groups and task trees, what comes there waits in
  /// the module's queue for the next one, also when its last worker is lost; and a period of its own goes on
  /// until no request is left.
  virtual bool scales_to_zero() const { return false; }
  /// Whether GPUs that a new plan moves to another group serve it as soon as what runs there has ended, the
  /// models being in memory; otherwise they are free then, and those of the new group start cold.
  virtual bool models_are_preloaded() const { return false; }
  /// Whether its schedulers preempt: models then run with the exit points of their profiles.
  virtual bool preempts() const { return false; }
  /// Rewrites the latency budgets of a plan that the shared planner made (Nexus: its own split). Default:
  /// unchanged.
  virtual void refine(const ServingContext&, Plan&) {}
};

/// A line of the list of systems.
struct SystemEntry {
  const char* name;
  const char* summary;  ///< one line with the paper
  std::unique_ptr<System> (*make)();
  const char* folder = nullptr;  ///< under systems/, with its README; null: one of its name
};

}  // namespace harness

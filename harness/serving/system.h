// A serving system: planner + router + scheduler + controller, made from parameters. Each system has a folder
// under systems/.
#pragma once

#include <memory>
#include <span>

#include "harness/serving/controller.h"
#include "harness/serving/placement.h"
#include "harness/serving/plan.h"
#include "harness/serving/planner.h"
#include "harness/serving/router.h"
#include "harness/serving/scheduler.h"
#include "harness/serving/serving_context.h"
#include "harness/serving/system_traits.h"

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
  /// Returns its traits. They may depend on the values of its parameters, except for serves_streams,
  /// serves_tasks, serves_placements, plans_devices and plans_for_others, which are also asked of systems
  /// with standard values.
  virtual SystemTraits traits() const { return {}; }
  /// Returns the time for which its plans hold: the system plans again that often while requests are being
  /// sent, whatever planner.autoscale says, and only then may the groups of its plans change. 0: one plan
  /// with groups holds for the whole run; plans without groups are made again as planner.autoscale says.
  virtual TimeNs replan_period_ns(const ServingContext&) const { return 0; }
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

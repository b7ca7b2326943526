#include "harness/experiment/cells/cell_plan.h"

#include "harness/core/param_error.h"
#include "harness/engine/dispatch/initial_plan.h"
#include "harness/experiment/cells/cell_checks.h"
#include "harness/experiment/cells/cluster_checks.h"
#include "harness/serving/common_plans.h"
#include "harness/serving/sizing_planner.h"
#include "workloads/catalogue/profile_notes.h"

namespace harness {
namespace {

/// Adds a remark if a module is planned with batches that nobody measured.
void remark_on_batches(LoadedInputs& inputs, const RunSpec& run, const Plan& plan) {
  for (std::size_t m = 0; m < run.profiles.size(); ++m) {
    const int batch = plan.modules[m].max_batch;
    const std::string note = unmeasured_batch(run.profiles[m], batch);
    if (!note.empty())
      inputs.add_remark("warning: " + run.pipeline.name + ": " + run.pipeline.modules[m].name +
                        " is planned with batches of up to " + std::to_string(batch) + ": " + note);
  }
}

}  // namespace

bool CellPlanner::plans_itself(const ResolvedCell& own) {
  const Settings& settings = own.settings;
  if (has_streams(settings) || !settings.planner.placement.empty()) return true;
  return plans_itself_.of(own.common.number, [&] {
    const SystemSpec& named = own.inputs.spec.systems[own.cell.system];
    const RunSpec run = runs_.of_settings(own);
    const auto plans = [&](const System& system) {
      return system.traits().wants_sample ||
             planner_of(system, make_context(run), settings, named.place) != nullptr;
    };
    const std::unique_ptr<System> alone = make_one_system(named.name, settings);
    if (!named.planner.empty() && plans(*alone) && !alone->traits().plans_for_others)
      throw input_error(named.place,
                        named.name + ", which has a planner of its own, with planner = " + named.planner,
                        "a system that the shared planner plans for, or that plans for others");
    return plans(*make_system(named.name, settings));
  });
}

const CellPlan& CellPlanner::of(const ResolvedCell& cell, double offered_rps, double target_rps) {
  Key key{cell.cell.pipeline, cell.slo_ns, cell.common.planning};
  std::unique_ptr<System> system;
  if (cell.scope == SettingsScope::kOwn && plans_itself(cell)) {
    key.system = &cell.inputs.spec.systems[cell.cell.system];
    key.swept = cell.cell.swept;
    system = make_system(key.system->name, cell.settings);
  }
  if (system != nullptr || cell.settings.planner.workers == WorkerRule::kRate) key.offered_rps = offered_rps;
  if (has_streams(cell.settings) || (system != nullptr && system->traits().wants_sample))
    key.arrivals = arrivals_text(cell, cell.cell.rate);
  return known_.of(key, [&] { return made(cell, std::move(system), offered_rps, target_rps); });
}

CellPlan CellPlanner::made(const ResolvedCell& cell, std::unique_ptr<System> system, double offered_rps,
                           double target_rps) {
  const SystemSpec& named = cell.inputs.spec.systems[cell.cell.system];
  RunSpec run = runs_.of_settings(cell);
  run.system = std::move(system);
  if (run.system && run.system->traits().plans_cores) check_cores(named, run);
  if (!run.planner.placement.empty())
    check_placement(cell.inputs.spec, named, *make_one_system(named.name, cell.settings), run);
  runs_.add_streams(cell, run);
  if (run.system) runs_.add_sample(cell, target_rps, run);
  const ServingContext context = make_context(run);
  CellPlan made;
  made.is_shared = run.system == nullptr;
  try {
    std::unique_ptr<Planner> planner;
    if (run.system && run.planner.placement.empty())
      planner = planner_of(*run.system, context, cell.settings, named.place);
    if (!planner) planner = make_sizing_planner(context, run.planner, run.module_overrides);
    made.plan = start_of(run, planner->plan(0, initial_load(run, context, offered_rps), {}));
    check_group_count(made.plan.groups.size());
    settle_devices(run, made.plan);
    remark_on_batches(cell.inputs, run, made.plan);
    made.capacity_rps = capacity_rps(context, made.plan);
    made.why = why_not_held(run, made.plan);
  } catch (const ParamError&) {
    throw;
  } catch (const InputError& error) {
    made.why = error.what();
  }
  return made;
}

}  // namespace harness

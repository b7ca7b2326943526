#include "harness/experiment/cells/load_reference.h"

#include "harness/engine/dispatch/initial_plan.h"
#include "harness/experiment/cells/cell_profiles.h"

namespace harness {

LoadReference LoadReferences::of(const ResolvedCell& own) {
  const ExperimentSpec& spec = own.inputs.spec;
  const Cell& cell = own.cell;
  const bool by_rate = !spec.workload.rates_rps.empty();
  const bool has_kinds = by_rate && spec.base.devices.size() > 1;
  LoadReference found;
  try {
    const ResolvedCell shared = resolver_.of(cell, SettingsScope::kShared);
    if (has_kinds || shared.pipeline.has_tasks() || (by_rate && has_streams(shared.settings))) {
      found.capacity_rps = best_capacity(shared);
    } else {
      const CellPlan& plan = plans_.of(resolver_.of(cell, SettingsScope::kReference), 0, 0);
      found.capacity_rps = plan.capacity_rps;
      // If workers follow the rate, no cell has that plan.
      if (shared.settings.planner.workers == WorkerRule::kBalanced) found.overload_rps = plan.capacity_rps;
      if (!by_rate) found.why = plan.why;
    }
  } catch (const InputError&) {
    if (!by_rate || has_kinds) throw;
    // Shared settings that no system uses as they are: the rates are known without them.
  }
  found.target_rps = by_rate ? cell.rate : cell.rate * found.capacity_rps;
  return found;
}

double LoadReferences::best_capacity(const ResolvedCell& shared) {
  return best_.of({shared.common.number, has_streams(shared.settings) ? shared.cell.rate : 0}, [&] {
    RunSpec run = runs_.of_settings(shared);
    runs_.add_streams(shared, run);
    return run.devices.size() > 1 ? capacity_of_kinds_rps(run) : best_capacity_rps(make_context(run));
  });
}

}  // namespace harness

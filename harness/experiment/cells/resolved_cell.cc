#include "harness/experiment/cells/resolved_cell.h"

#include <cmath>

#include "harness/experiment/cells/cell_profiles.h"
#include "harness/experiment/cells/cluster_checks.h"
#include "harness/experiment/reading/fault_reader.h"

namespace harness {

std::size_t CellResolver::number_of(std::string text) {
  return texts_.try_emplace(std::move(text), texts_.size()).first->second;
}

CommonSettings CellResolver::made(const Cell& cell, SettingsScope scope) {
  const ExperimentSpec& spec = inputs_.spec;
  const Pipeline& pipeline = inputs_.pipelines()[cell.pipeline];
  CommonSettings made;
  Settings& settings = made.settings;
  settings = scope == SettingsScope::kOwn ? settings_of(spec, cell) : shared_settings_of(spec, cell);
  if (scope == SettingsScope::kReference) {
    // Workers that follow the rate have no capacity before the rate is known: the whole cluster's counts.
    settings.planner.workers = WorkerRule::kBalanced;
    settings.planner.autoscale = false;
    settings.planner.initial_workers = 0;
  }
  made.number = ++made_;
  made.trace_text = trace_text(settings);
  made.trace = number_of(made.trace_text);
  made.planning = number_of(planning_text(settings, module_names(pipeline)));
  // Whether there is an slo_factor is no part of the key: an experiment has slo_ms or slo_factors, and the
  // factor itself does not count here (experiment_spec.cc).
  if (scope == SettingsScope::kShared && cell.slo_factor > 0) {
    RunSpec run;
    run.pipeline = pipeline;
    add_profiles(spec, settings, inputs_.profiles(settings), run);
    made.shortest_service_ns = shortest_service_ns(run);
  }
  if (scope != SettingsScope::kOwn) return made;
  if (cell.runtime == Runtime::kGpu) {
    settings.live.payload = true;  // networks need their images
    check_servers_simulated(spec, settings);
  }
  check_faults(settings.faults, settings.cluster.workers);
  made.frame = cell_frame(spec, cell, settings, pipeline);
  return made;
}

ResolvedCell CellResolver::of(const Cell& cell, SettingsScope scope) {
  const std::size_t system = scope == SettingsScope::kOwn ? cell.system : 0;  // else it is of all systems
  const CommonSettings& common =
      known_.of({scope, cell.runtime, cell.pipeline, cell.trace, system, cell.swept},
                [&] { return made(cell, scope); });
  const Pipeline& pipeline = inputs_.pipelines()[cell.pipeline];
  TimeNs slo_ns = cell.slo_ms > 0 ? ms_to_ns(cell.slo_ms) : pipeline.slo_ns;
  if (cell.slo_factor > 0) {
    const CommonSettings& shared =
        scope == SettingsScope::kShared ? common : of(cell, SettingsScope::kShared).common;
    slo_ns =
        static_cast<TimeNs>(std::llround(cell.slo_factor * static_cast<double>(shared.shortest_service_ns)));
  }
  return {inputs_, scope, cell, pipeline, common, common.settings, slo_ns};
}

void CellResolver::limit() {
  constexpr std::size_t kMost = 10'000;  // of some 10 kB each
  if (known_.size() > kMost) known_.clear();
}

}  // namespace harness

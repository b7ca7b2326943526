#include "harness/experiment/cells/run_builder.h"

#include <algorithm>

#include "harness/engine/dispatch/initial_plan.h"
#include "harness/experiment/cells/cell_checks.h"
#include "harness/experiment/cells/cell_profiles.h"
#include "harness/experiment/cells/cluster_checks.h"
#include "harness/experiment/cells/planning_times.h"
#include "harness/experiment/reading/fault_reader.h"
#include "workloads/streams/stream_arrivals.h"
#include "workloads/streams/trace_arrivals.h"
#include "workloads/trace_files/imported_trace.h"

namespace harness {

RunSpec RunBuilder::of_settings(const ResolvedCell& cell) {
  const Settings& settings = cell.settings;
  RunSpec run;
  run.pipeline = cell.pipeline;
  if (settings.requests.fan_out_spread != FanOutSpread::kPipeline)
    run.pipeline.fixed_fan_out = settings.requests.fan_out_spread == FanOutSpread::kRounded;
  run.answers = settings.requests.answers;
  run.measured_from_ns = settings.requests.measure_from_s * kNsPerS;
  add_profiles(cell.inputs.spec, settings, cell.inputs.profiles(settings), run);
  for (const Module& module : run.pipeline.modules) {
    const auto fixed = settings.modules.find(module.name);
    run.module_overrides.push_back(fixed == settings.modules.end() ? ModuleOverride() : fixed->second);
  }
  check_settings(cell.inputs.spec, settings, run);
  run.slo_ns = cell.slo_ns;
  run.workers = settings.cluster.workers;
  run.servers = servers_of(cell.inputs.spec, settings, run);
  run.seed = cell.cell.seed;
  run.serving = settings.serving;
  run.planner = settings.planner;
  run.world = settings.world;
  run.faults = faults_that_happen(settings.faults);
  return run;
}

void RunBuilder::add_streams(const ResolvedCell& cell, RunSpec& run) {
  if (!has_streams(cell.settings)) return;
  const OfferedLoad& load = offered_.of(cell, cell.cell.rate);
  run.streams = streams_of(*load.population, run.pipeline, cell.slo_ns);
  run.slo_ns = 0;
  for (const Stream& stream : run.streams) run.slo_ns = std::max(run.slo_ns, stream.slo_ns);
  if (run.system == nullptr || !run.system->traits().wants_peaks) return;
  const TimeNs period_ns = run.system->replan_period_ns(make_context(run));
  run.peak_rps = peaks_.of({arrivals_text(cell, cell.cell.rate), period_ns}, [&] {
    constexpr double kMaxRequests = 2e8;  // a minute
    if (load.requests > kMaxRequests)
      throw input_error(place_of(cell.inputs.spec, "workload.duration_s"),
                        text_of(load.requests) + " requests of trace " + cell.settings.trace.name +
                            ", whose peaks " + cell.inputs.spec.systems[cell.cell.system].name + " plans for",
                        "at most " + text_of(kMaxRequests));
    const auto arrivals = make_stream_arrivals(load.population, cell.cell.seed);
    return peak_rps(*arrivals, run.streams, run.pipeline.modules.size(), period_ns);
  });
}

void RunBuilder::add_sample(const ResolvedCell& cell, double target_rps, RunSpec& run) {
  const SystemTraits traits = run.system->traits();
  if (!traits.wants_sample) return;
  const bool foresight = traits.wants_foresight;
  run.planning = samples_.of({arrivals_text(cell, target_rps), foresight}, [&] {
    if (samples_.size() >= 4) samples_.clear();  // as many are kept
    PlanningLoad load{cell.inputs.trace(cell.settings), nullptr, target_rps, cell.cell.seed};
    if (has_streams(cell.settings)) load.population = offered_.of(cell, target_rps).population;
    return std::make_shared<const PlanningTimes>(
        planning_times(load, foresight, place_of(cell.inputs.spec, "workload.duration_s")));
  });
}

RunSpec RunBuilder::world(const ResolvedCell& own) {
  const ExperimentSpec& spec = own.inputs.spec;
  RunSpec run = of_settings(own);
  run.system = make_system(spec.systems[own.cell.system].name, own.settings);
  add_streams(own, run);
  const auto takes_lengths = [](const Profile& profile) { return profile.shared.lengths_from_trace; };
  if (std::ranges::any_of(run.profiles, takes_lengths))
    run.trace_tokens = std::make_shared<const TraceTokens>(recorded_tokens(own.inputs.trace(own.settings)));
  run.record_states = spec.states.has(own.cell.index);
  run.record_replay = spec.replay.has(own.cell.index);
  return run;
}

RunSpec RunBuilder::run(const ResolvedCell& own, const PreparedCell& prepared) {
  RunSpec run = world(own);
  settle_devices(run, prepared.plan);
  add_sample(own, prepared.target_rps, run);
  const TraceSpec trace = own.inputs.trace(own.settings);
  own.inputs.check_unchanged(trace);
  const auto& population = offered_.of(own, prepared.target_rps).population;
  run.arrivals = population ? make_stream_arrivals(population, own.cell.seed)
                            : make_arrivals(trace, prepared.target_rps, own.cell.seed);
  return run;
}

}  // namespace harness

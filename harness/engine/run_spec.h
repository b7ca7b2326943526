// One cell, made concrete: everything a runtime needs to run it.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "harness/core/arrivals.h"
#include "harness/core/pipeline.h"
#include "harness/core/profile.h"
#include "harness/engine/faults.h"
#include "harness/engine/measured_slowdown.h"
#include "harness/engine/world_params.h"
#include "harness/record/run/run_record.h"
#include "harness/serving/context.h"
#include "harness/serving/sizing_planner.h"
#include "harness/serving/system.h"

namespace harness {

/// Owns the parts of a cell. Built by experiment/, by tests and by benchmarks; consumed by one run.
struct RunSpec {
  Pipeline pipeline;
  /// One per module, scaled; of the kind of device that it runs on (settle_devices, dispatcher.h).
  std::vector<Profile> profiles;
  std::vector<ClusterDevice> devices;  ///< the kinds, `workers` in all; empty: one kind without a price
  TimeNs slo_ns = 0;                   ///< the longest of the streams'
  std::vector<Stream> streams;         ///< empty: one from the pipeline's entry, with slo_ns
  /// By period of the system's planning (System::replan_period_ns) LoadStatistics::peak_rps; empty: not
  /// known.
  std::vector<std::vector<double>> peak_rps;
  std::shared_ptr<const PlanningTimes> planning;  ///< null: the system does not ask
  int workers = 1;
  ServerShape servers;  ///< in which the `workers` GPUs stand
  std::uint64_t seed = 1;
  ServingParams serving;
  PlannerParams planner;
  std::vector<ModuleOverride> module_overrides;  ///< empty, or one per module
  WorldParams world;
  std::shared_ptr<const MeasuredSlowdown>
      slowdown;                       ///< simulated: what batches take, instead of world.jitter; null: none
  Answers answers = Answers::kWhole;  ///< counts where the pipeline has tasks
  TimeNs measured_from_ns = 0;        ///< requests sent before it are served and not counted; whole seconds
  std::vector<Fault> faults;          ///< in any order
  bool record_states = false;         ///< keep what the controllers publish
  bool record_replay = false;         ///< keep what reaches each queue
  std::unique_ptr<System> system;
  std::unique_ptr<ArrivalSource> arrivals;
  std::shared_ptr<const TraceTokens> trace_tokens;  ///< lengths recorded with the trace; may be null
  /// Called every few milliseconds of wall time with (virtual time, requests sent); may be empty.
  std::function<void(TimeNs, std::uint64_t)> progress;
};

}  // namespace harness

// One cell, made concrete: everything that a runtime needs to run it.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "harness/core/arrival_source.h"
#include "harness/core/pipeline.h"
#include "harness/core/profile.h"
#include "harness/core/request_sizes.h"
#include "harness/core/stream.h"
#include "harness/engine/fault.h"
#include "harness/engine/measured_slowdown.h"
#include "harness/engine/request_params.h"
#include "harness/engine/world_params.h"
#include "harness/serving/cluster_device.h"
#include "harness/serving/planner_params.h"
#include "harness/serving/planning_times.h"
#include "harness/serving/server_shape.h"
#include "harness/serving/serving_params.h"
#include "harness/serving/system.h"

namespace harness {

/// Owns the parts of a cell. experiment/, tests and benchmarks build it; one run consumes it.
struct RunSpec {
  Pipeline pipeline;
  /// One profile per module, scaled, for the kind of device on which the module runs (settle_devices,
  /// initial_plan.h).
  std::vector<Profile> profiles;
  /// Kinds of devices, `workers` devices in all; empty: one kind without a price.
  std::vector<ClusterDevice> devices;
  TimeNs slo_ns = 0;            ///< longest SLO of the streams
  std::vector<Stream> streams;  ///< streams; empty: one from the pipeline's entry, with slo_ns
  /// LoadStatistics::peak_rps in each period of the system's planning (System::replan_period_ns); empty: not
  /// known.
  std::vector<std::vector<double>> peak_rps;
  /// Sending times for planners; null: the system does not ask.
  std::shared_ptr<const PlanningTimes> planning;
  int workers = 1;
  ServerShape servers;  ///< servers to which the `workers` GPUs belong
  std::uint64_t seed = 1;
  ServingParams serving;
  PlannerParams planner;
  std::vector<ModuleOverride> module_overrides;  ///< overrides; empty, or one per module
  WorldParams world;
  /// Simulated: speeds that decide how long batches take, instead of world.jitter; null: not given.
  std::shared_ptr<const MeasuredSlowdown> slowdown;
  Answers answers = Answers::kWhole;  ///< rule for answers; counts if the pipeline has tasks
  /// Start of the measured part, in whole seconds; requests sent before it are served and not counted.
  TimeNs measured_from_ns = 0;
  std::vector<Fault> faults;   ///< faults in any order
  bool record_states = false;  ///< true: keep what the controllers publish
  bool record_replay = false;  ///< true: keep what reaches each queue
  std::unique_ptr<System> system;
  std::unique_ptr<ArrivalSource> arrivals;
  /// Lengths that were recorded with the trace; may be null.
  std::shared_ptr<const TraceTokens> trace_tokens;
  /// Called every few milliseconds of wall time with (virtual time, requests sent); may be empty.
  std::function<void(TimeNs, std::uint64_t)> progress;
};

}  // namespace harness

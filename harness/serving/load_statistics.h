// What planners are told of the load.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/core/stream.h"
#include "harness/core/types.h"
#include "harness/serving/module_statistics.h"

namespace harness {

/// The load as a planner is told of it.
struct LoadStatistics {
  /// Requests/s offered to the pipeline over the last planning period; before the start, the rate to
  /// provision for.
  double offered_rps = 0;
  /// Visits/s that arrived at each module over the same time (< 0 if a variant lost its queue to another).
  /// Before the start they are the rates that the streams promise, empty if the streams say nothing.
  std::vector<double> module_rps;
  /// For planners that are told the future: for each module the largest number of requests that enter there
  /// within one second of the period that begins (System::replan_period_ns), or of the run (SHEPHERD, section
  /// 7: Nexus is provisioned for the peak); empty: not known.
  std::vector<double> peak_rps = {};
  /// For task trees, by module and entry of its subs: the mean number of visits there that a visit served by
  /// the module has caused over the same time (Loki, section 4.2: multiplicative factors by heartbeats); NaN
  /// if the module served no visit. Empty before the start.
  std::vector<std::vector<double>> fan_out = {};
  /// Sending times of the requests since the last call, in order. Empty before the start, and if the system
  /// does not ask (SystemTraits::wants_sample).
  std::vector<TimeNs> sent_ns = {};
  /// Stream of each of these requests, if there are several streams; else empty.
  std::vector<StreamId> sent_streams = {};
  /// Number of requests that have been sent and have visits left.
  std::uint32_t in_system = 0;
  /// Statistics of each module. Empty before the start, and if the system does not ask
  /// (SystemTraits::wants_module_statistics).
  std::vector<ModuleStatistics> modules = {};
};

}  // namespace harness

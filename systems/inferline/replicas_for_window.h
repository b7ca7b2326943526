// The replicas that the queries of a window need, for a tuner that knows them beforehand (beyond the
// paper).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/core/pipeline.h"
#include "harness/core/types.h"
#include "systems/inferline/hardware.h"
#include "systems/inferline/model_configuration.h"

namespace harness {

/// Consecutive queries of a run, with the routes that they take there.
struct QueryWindow {
  std::span<const TimeNs> sent_ns;
  TimeNs length_ns = 0;     ///< length of the window; the run sends no other queries in it
  std::uint64_t first = 0;  ///< number of its first query in the run
  std::uint64_t seed = 0;   ///< seed of the run
};

/// Returns, by module, the replicas with which the window is feasible in the Planner's sense: each model's
/// replicas can do its work within the window's length, and at least 99 % of the queries end within the SLO
/// if nothing is in the system before them. If fewer than 99 % would do so even with a replica for each
/// visit, that many are enough. Kinds of devices and maximum batches come from `planned`. Each module has at
/// least 1 replica.
///
/// The search starts with the fewest replicas that can do the work and adds replicas to bottlenecks, as in
/// Algorithm 1. Then, as in Algorithm 2, it removes the dearest replica that can go, until none can go alone.
/// For one model the result is the least number; for several the cost may be above the least (heuristic).
std::vector<int> replicas_for_window(const Pipeline& pipeline, const Hardware& hardware,
                                     const Configuration& planned, const QueryWindow& window, TimeNs slo_ns);

}  // namespace harness

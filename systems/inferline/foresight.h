// A tuner that knows the arrivals of the next seconds. It shows how far InferLine's Tuner (section 5) is from
// what could be done; the paper has no such tuner.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "systems/inferline/configuration.h"
#include "systems/inferline/tuning.h"

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

/// Returns a tuner that knows when the run sends its queries (PlanningTimes::run) and which routes they take.
/// It looks ahead only as far as a replica takes to activate (ServingContext::activation_ns) and one period
/// more. `context` and `hardware` must outlive it.
///
/// The need of a period is replicas_for_window() of the queries sent in the period and up to two SLOs before
/// it: one SLO for the queries that may still be in the system, one for the queries that these met there (R).
/// A decision gives each model its largest need in the periods from now until a replica added now serves,
/// including the period that begins then. While the cluster has the devices, this is the cheapest schedule
/// that meets all needs. No schedule has fewer replicas at any time, because a replica that serves has been
/// paid for since its activation began. This schedule adds a replica as late as possible. It keeps one
/// through a gap only if the gap is no longer than an activation, which would cost as much again.
///
/// Its cost is an upper bound of the least cost with such knowledge, for two reasons. The needs of several
/// models come from a heuristic. And each period is planned by itself and keeps P99, while another schedule
/// could let most queries of the dearest seconds miss, if the run as a whole keeps P99. Even here the run may
/// miss P99, because a window begins without the queries that were waiting before it.
std::unique_ptr<Tuner> make_foresight_tuner(const ServingContext& context, const Hardware& hardware,
                                            const Configuration& planned, TimeNs period_ns);

}  // namespace harness

// A tuner that knows the arrivals of the next seconds, to see how far InferLine's Tuner (section 5) is from
// what could be done: beyond the paper.
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
  TimeNs length_ns = 0;     ///< length of the window in which they are all the queries sent
  std::uint64_t first = 0;  ///< number of its first query in the run
  std::uint64_t seed = 0;   ///< seed of the run
};

/// Returns, by module, the replicas with which the window is feasible in the Planner's sense: no model has
/// more work than its replicas can do in the window's length, and at least 99 % of the queries end within the
/// SLO if nothing is in the system before them. If fewer than 99 % can even with a replica for each visit,
/// only as many need to. Hardware and maximum batches come from `planned`. Each module has at least 1
/// replica.
///
/// The search starts with the replicas that keep up and adds replicas to bottlenecks, as in Algorithm 1;
/// then, as in Algorithm 2, it removes the dearest replica that can go, until no single one can. For one
/// model the result is the least number; for several the cost may be above the least (heuristic).
std::vector<int> replicas_for_window(const Pipeline& pipeline, const Hardware& hardware,
                                     const Configuration& planned, const QueryWindow& window, TimeNs slo_ns);

/// Returns a tuner that knows when the run sends its queries (PlanningTimes::run) and which routes they take,
/// as far ahead as a replica takes to activate (ServingContext::activation_ns) and one period more, and
/// nothing after that. `context` and `hardware` must outlive it.
///
/// A period needs replicas_for_window of the queries sent in it and up to two SLOs before: one SLO for the
/// queries that may still be in the system, one for the queries that these found there (R). A decision keeps,
/// for each model, the largest need of the periods from now on to the one that begins when a replica added
/// now serves. While the cluster has the devices, this is the cheapest schedule in which each period has at
/// least the replicas that it needs: a replica that serves has been paid for since its activation began, so
/// no schedule has fewer at any time. It adds a replica just as early as it must. It keeps one through a gap
/// only if the gap is no longer than its activation, which would cost as much again.
///
/// Its cost is an upper bound of the least cost with such knowledge: the needs of several models come from a
/// heuristic, for each period by itself, and each period keeps P99, while a schedule could spend the misses
/// of a whole run in its dearest seconds. P99 of the run is not certain either, because a window begins
/// without the queries that were waiting before it.
std::unique_ptr<Tuner> make_foresight_tuner(const ServingContext& context, const Hardware& hardware,
                                            const Configuration& planned, TimeNs period_ns);

}  // namespace harness

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

/// Queries of a run that follow each other, with the routes that they take there.
struct QueryWindow {
  std::span<const TimeNs> sent_ns;
  TimeNs length_ns = 0;     ///< all that were sent in so long
  std::uint64_t first = 0;  ///< number of the first in the run
  std::uint64_t seed = 0;   ///< of the run
};

/// By module the replicas with which the window is feasible, as the Planner has it: no model has more work
/// than its replicas can do in the window's length, and at least 99 % of the queries, or as many as with a
/// replica for each, end within the SLO when nothing is there before them. Hardware and maximum batches are
/// those of `planned`. At least 1 each.
///
/// From what keeps up on, bottlenecks get replicas, as in Algorithm 1; then, as in Algorithm 2, the dearest
/// replica that can go goes. So no single one more can go. Of one model it is the least number; of several
/// the cost may be above the least (heuristic).
std::vector<int> replicas_for_window(const Pipeline& pipeline, const Hardware& hardware,
                                     const Configuration& planned, const QueryWindow& window, TimeNs slo_ns);

/// Knows when the run sends its queries (PlanningTimes::run) and which routes they take, as far ahead as a
/// replica takes to activate (ServingContext::activation_ns) and one period more, and nothing after that.
/// `context` and `hardware` outlive it.
///
/// A period needs replicas_for_window of those sent in it and up to two SLOs before: one SLO for those that
/// may still be in the system, one for what they found there (R). A decision keeps, of each model, the
/// largest need of the periods from now on to the one that begins when a replica added now serves. That is
/// the cheapest schedule in which at least as many replicas as needed serve in each period, while the cluster
/// has what it asks for: one that serves
/// has been paid for since its activation began, so no schedule has fewer at any time. It adds a replica just
/// as early as it must, keeps one through a gap that is no longer than its activation, which would cost as
/// much again, and no other.
///
/// Its cost is an upper bound of the least with such knowledge: needs of several models come from a
/// heuristic, each period for itself; each period keeps P99, where a schedule could spend the misses of a
/// whole run in its dearest seconds. Nor is P99 of the run certain: a window begins without what was waiting
/// before it.
std::unique_ptr<Tuner> make_foresight_tuner(const ServingContext& context, const Hardware& hardware,
                                            const Configuration& planned, TimeNs period_ns);

}  // namespace harness

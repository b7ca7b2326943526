// A tuner that knows the arrivals of the next seconds. It shows how far InferLine's Tuner (section 5) is from
// what could be done; the paper has no such tuner.
#pragma once

#include <memory>

#include "harness/core/types.h"
#include "harness/serving/serving_context.h"
#include "systems/inferline/hardware.h"
#include "systems/inferline/model_configuration.h"
#include "systems/inferline/tuner.h"

namespace harness {

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

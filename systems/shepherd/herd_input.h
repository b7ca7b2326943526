// HERD's input for a cell: its models, their average load and their goodput on one GPU (section 4).
#pragma once

#include <cstddef>
#include <vector>

#include "harness/core/profile.h"
#include "harness/core/stream.h"
#include "harness/core/types.h"
#include "harness/serving/serving_context.h"
#include "systems/shepherd/herd_plan.h"
#include "systems/shepherd/herd_planner_params.h"

namespace harness {

/// The number of values of Visit::stream: a router cannot tell streams apart whose numbers are equal modulo
/// this.
inline constexpr std::size_t kStreamNumbers = 65'536;

/// Returns the goodput of one GPU for a stream, requests/s; 0 if no batch of at most `max_batch` can end in
/// time. If no two batches fit into the SLO, the rule counts single visits, one after the other.
double stream_goodput_rps(const Profile& profile, TimeNs slo_ns, HerdGoodput from, int max_batch);

/// Returns the context's streams with the rates that HERD counts: 0 if no GPU can serve the stream in time,
/// and 1/s each if no stream says its rate.
std::vector<Stream> counted_streams(const ServingContext& context, const HerdPlannerParams& params,
                                    int max_batch);

/// Returns the context's streams with measured rates: each module's rate in `module_rps` is divided among its
/// streams in proportion to their promised rates, or evenly if no rate is promised.
std::vector<Stream> measured_streams(const ServingContext& context, const std::vector<double>& module_rps);

/// Returns Eq. 2's input for the streams of the context. Model m is module m, and a stream's model is its
/// entry. The goodput of a model whose streams have different SLOs is its rate over the number of GPUs that
/// its streams need together. Rates are the rates of counted_streams(), so that a stream that no GPU can
/// serve in time needs no GPU. A model has no more shares than it has streams with a rate that the router can
/// tell apart, but at least one. Sizes that are not known count as 0.
HerdInput herd_input(const ServingContext& context, const HerdPlannerParams& params, int max_batch);

}  // namespace harness

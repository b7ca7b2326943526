// InferLine's high-frequency Tuner (section 5).
#pragma once

#include <memory>
#include <span>

#include "harness/core/types.h"
#include "systems/inferline/tuned_pipeline.h"
#include "systems/inferline/tuner.h"
#include "systems/inferline/tuning_params.h"

namespace harness {

/// Makes the Tuner of section 5.
///
/// Scaling up: if a window holds more queries than any window of that length did in the sample, a model gets
/// k_m = ceil(r s_m / (mu_m rho_m)) replicas, if it has fewer. A model that started with fewer replicas than
/// `first` says (planner.initial_workers) is not provisioned for the sample's windows either: until it has
/// had that many once, every window counts, but does not ask for more than that (R).
///
/// Scaling down: 15 s after any change, each model is cut to the replicas for the largest rate in 5-second
/// windows of the last 30 s, with the least rho, if it has more and the rule for scaling up does not need
/// them now. With scale_back = planned, this rule also brings replicas back, up to what was planned.
std::unique_ptr<Tuner> make_envelope_tuner(const TunedPipeline& pipeline, const TuningParams& params,
                                           std::span<const TimeNs> sample_ns, TimeNs sample_length_ns);

}  // namespace harness

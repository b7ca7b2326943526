// The coarse-grained tuner that InferLine's evaluation compares with (section 6; AutoScale, Gandhi et al.,
// TOCS 2012).
#pragma once

#include <memory>

#include "systems/inferline/tuned_pipeline.h"
#include "systems/inferline/tuner.h"
#include "systems/inferline/tuning_params.h"

namespace harness {

/// Makes a tuner with AutoScale's rules over the pipeline as one unit (R: InferLine's authors do not say
/// which variant they took).
///
/// With autoscale_signal = rate it is AutoScale--: every 20 s it goes up to the units for the rate of those
/// 20 s, and it goes down to the units that would have been enough in every second of the last
/// `idle_timer_s`. With in_system it is AutoScale: every 20 s it goes up to ceil(k f(n / k) / f(p)) units,
/// with n requests in k units and p requests in a unit that carries what it can within the SLO; it goes down
/// to the ceil(n / p) units that index packing, p requests to a unit, would have used in the last
/// `idle_timer_s`.
std::unique_ptr<Tuner> make_autoscale_tuner(const TunedPipeline& pipeline, const TuningParams& params);

}  // namespace harness

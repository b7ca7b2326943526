// The placement of section 6: the stages whose parameters stay in the memory of a server (KeysManager, 6.1),
// and the server on which an instance starts (6.2).
#pragma once

#include <memory>

#include "harness/serving/placement.h"
#include "harness/serving/serving_context.h"
#include "systems/quart/placement_params.h"

namespace harness {

/// Returns the placement of QUART. The plan's details name the key stages (QuartPlanDetails). If another
/// system plans there are no such details: a stage is key from the first plan on that has more workers for it
/// than the plan before.
///
/// The parameters of a stage that is to be kept stay on the server where an instance of it has started, even
/// after the instance has gone. Above 85 % of the server's memory, and if an instance lacks memory, the
/// copies that were used longest ago are dropped. A stage that is no longer key keeps its copies until then.
///
/// An instance of a key stage starts on a server where its parameters are kept, else on the server with the
/// most free GPUs, and among several on the one with the fewest instances of the stage. If there are more key
/// stages than servers with `roomy_gpus` free GPUs, the stage's instances are spread: its row of
/// probabilities over servers moves from the present shares of instances towards the uniform row, and the new
/// instance starts on the server that brings the instances closest to the row, as far as GPUs are free. Other
/// stages are packed: on servers without key stages first, then on the server with the fewest free GPUs.
///
/// `context` must outlive it. A call takes time in proportion to servers x key stages and allocates nothing.
std::unique_ptr<Placement> make_keys_placement(const ServingContext& context, const PlacementParams& params);

}  // namespace harness

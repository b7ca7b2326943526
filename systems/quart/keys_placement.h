// Section 6: which stages' parameters stay in the memory of a server (KeysManager, 6.1), and on which server
// an instance starts (6.2).
#pragma once

#include <memory>

#include "harness/core/params.h"
#include "harness/serving/context.h"
#include "harness/serving/placement.h"

namespace harness {

/// Whose parameters are kept.
enum class CachedStages { kNothing, kKeys, kAll };
/// Where instances start.
enum class ServerChoice { kQuart, kFirstFit };

struct PlacementParams {
  CachedStages cache = CachedStages::kKeys;
  ServerChoice placement = ServerChoice::kQuart;
  int roomy_gpus = 2;
  double kl_threshold = 0.001;

  void list(ParamList& params);
};

/// The placement of QUART. Key stages are those of the plan's notes (QuartNotes). Where another system plans
/// there are none: a stage is key from the first plan on that has more workers for it than the one before.
///
/// Parameters of a stage that is to be kept are kept on the server where an instance of it has started, after
/// that has gone too. Above 85 % of the server's memory, and where an instance lacks memory, the
/// copies that were used longest ago are dropped. A stage that is no longer key keeps what it has until then.
///
/// An instance of a key stage starts on a server where its parameters are kept, else on the one with most
/// free GPUs, and of several the one with fewest of the stage. When key stages are more than servers with
/// `roomy_gpus` free GPUs, the stage's instances are spread: its row of probabilities over servers moves from
/// where they stand towards the uniform one, and the new instance starts where it brings them closest to the
/// row, as far as GPUs are free. Other stages are packed: on servers without key stages first, then on the
/// one with the least free GPUs.
///
/// `context` outlives it. A call takes time in proportion to servers x key stages and allocates nothing.
std::unique_ptr<Placement> make_keys_placement(const ServingContext& context, const PlacementParams& params);

}  // namespace harness

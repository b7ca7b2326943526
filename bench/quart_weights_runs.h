// Simulated chains on which QUART's attention is fitted and judged: what a planner could have seen of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/core/pipeline.h"
#include "harness/engine/world_params.h"
#include "systems/quart/stage_features.h"

namespace harness {

/// A chain under Gamma arrivals, as it was measured over all of its run but the first tenth.
struct ChainRun {
  double input_cv = 0;  ///< of the distribution that the gaps were drawn from
  Jitter jitter = Jitter::kOff;
  double service_cv = 0;              ///< of one visit's time
  std::vector<StageFeatures> stages;  ///< all is known
};

/// Which runs to make. Two sets whose seed and name are not both equal share no random number.
struct ChainRuns {
  std::uint64_t seed = 1;
  std::string name;  ///< "training", "held_out"
  std::size_t count = 0;
  int stages = 0;          ///< of every chain; 0: 2 to 10
  double requests = 2000;  ///< mean number a run
};

/// Stages one after the other.
Pipeline chain_pipeline(std::size_t stages);

/// Drawn for each run: the input CV, log-uniform in 0.1 to 8; execution times, in turn as the profile says,
/// +- 30 % (uniform) and exponential; in half of the runs one load and number of replicas for all stages, in
/// the others for each, loads uniform in 0.2 to 0.95 and replicas in 1 to 8. The naive system serves them
/// one by one from a queue a stage.
std::vector<ChainRun> simulate_chains(const ChainRuns& runs);

}  // namespace harness

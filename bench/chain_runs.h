// Simulated chains on which QUART's attention is fitted and judged: the features that a planner could have
// seen.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/core/pipeline.h"
#include "harness/engine/world_params.h"
#include "systems/quart/stage_features.h"

namespace harness {

/// A set of runs to make. Two sets whose seed and name are not both equal share no random number.
struct ChainRuns {
  std::uint64_t seed = 1;
  std::string name;  ///< name: "training", "held_out"
  std::size_t count = 0;
  int stages = 0;          ///< number of stages of every chain; 0: 2 to 10
  double requests = 2000;  ///< mean number of requests per run
};

/// A chain under Gamma arrivals, measured over all of its run except the first tenth.
struct ChainRun {
  double input_cv = 0;  ///< CV of the distribution that the gaps were drawn from
  Jitter jitter = Jitter::kOff;
  double service_cv = 0;              ///< CV of one visit's time
  std::vector<StageFeatures> stages;  ///< stages, of which all features are known
};

/// Returns a pipeline of stages one after the other.
Pipeline chain_pipeline(std::size_t stages);

/// Simulates the runs. For each run it draws the input CV, log-uniform in 0.1 to 8; execution times, in turn
/// as the profile says, +- 30 % (uniform) and exponential; in half of the runs one load and number of
/// replicas for all stages, in the others one for each stage, with loads uniform in 0.2 to 0.95 and replicas
/// in 1 to 8. The naive system serves visits one by one, from one queue per stage.
std::vector<ChainRun> simulate_chains(const ChainRuns& runs);

}  // namespace harness

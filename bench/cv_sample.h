// The samples on which QUART's attention is fitted and judged.
#pragma once

#include <cstddef>
#include <vector>

#include "bench/chain_runs.h"
#include "harness/engine/world_params.h"
#include "systems/quart/attention_features.h"
#include "systems/quart/attention_pass.h"
#include "systems/quart/stage_features.h"

namespace harness {

/// A stage with a predecessor: the input of the network, and the right output.
struct CvSample {
  AttentionFeatures itself = {};
  std::vector<AttentionNeighbour> neighbours;
  double log_cv = 0;  ///< logarithm of the measured CV
  // Inputs of the simpler rules, and of the errors' sorting.
  StageFeatures predecessor;
  double service_cv = 0;
  double input_cv = 0;
  Jitter jitter = Jitter::kOff;
  std::size_t stage = 1;  ///< place in the chain, from 0
};

/// Returns the samples of all stages except the first of each run.
std::vector<CvSample> cv_samples(const std::vector<ChainRun>& runs);

}  // namespace harness

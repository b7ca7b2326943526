// QUART's attention: predicts how irregular the arrivals of each stage are from what is known of its
// neighbours (QUART, section 5.2, Eq. 4-6). README.md ("The attention") lists what the paper leaves open.
#pragma once

#include <span>
#include <vector>

#include "harness/core/pipeline.h"
#include "systems/quart/attention_features.h"
#include "systems/quart/attention_pass.h"
#include "systems/quart/attention_weights.h"
#include "systems/quart/stage_features.h"

namespace harness {

/// The network over a pipeline. It is deterministic, with the same bits on every machine, and
/// single-threaded.
class Attention {
 public:
  /// Throws InputError if the weights are for pipelines of another number of modules.
  Attention(const Pipeline& pipeline, AttentionWeights weights);

  /// Predicts the CV of the arrivals at each stage, by module. A stage without a predecessor gets its own
  /// measured CV, since no other stage's explains it. Allocates nothing.
  void predict(std::span<const StageFeatures> stages, std::span<double> cv);

 private:
  struct Edge {
    ModuleId module = 0;
    AttentionRole role = AttentionRole::kPredecessor;
  };
  AttentionWeights weights_;
  std::vector<std::vector<Edge>> neighbours_;  ///< neighbours by module; empty for an entry
  std::vector<AttentionFeatures> features_;    ///< features by module, in the role of a successor
  std::vector<AttentionNeighbour> given_;      ///< neighbours of one stage
  AttentionPass pass_;
};

}  // namespace harness

#include "bench/cv_sample.h"

#include <utility>

#include "harness/core/portable_math.h"
#include "systems/quart/cv_predictor.h"

namespace harness {

std::vector<CvSample> cv_samples(const std::vector<ChainRun>& runs) {
  std::vector<CvSample> samples;
  for (const ChainRun& run : runs) {
    for (std::size_t i = 1; i < run.stages.size(); ++i) {
      const auto add_neighbour = [&](CvSample& sample, const StageFeatures& stage, AttentionRole role) {
        sample.neighbours.push_back({attention_features(stage, role), known_cv(stage)});
      };
      CvSample sample;
      sample.itself = attention_features(run.stages[i], AttentionRole::kItself);
      add_neighbour(sample, run.stages[i - 1], AttentionRole::kPredecessor);
      if (i + 1 < run.stages.size()) add_neighbour(sample, run.stages[i + 1], AttentionRole::kSuccessor);
      sample.log_cv = portable_log(known_cv(run.stages[i]));
      sample.predecessor = run.stages[i - 1];
      sample.service_cv = run.service_cv;
      sample.input_cv = run.input_cv;
      sample.jitter = run.jitter;
      sample.stage = i;
      samples.push_back(std::move(sample));
    }
  }
  return samples;
}

}  // namespace harness

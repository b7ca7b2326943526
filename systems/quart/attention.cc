#include "systems/quart/attention.h"

#include <algorithm>
#include <string>
#include <utility>

#include "harness/core/input_error.h"
#include "harness/core/portable_math.h"

namespace harness {

Attention::Attention(const Pipeline& pipeline, AttentionWeights weights) : weights_(std::move(weights)) {
  const std::size_t modules = pipeline.modules.size();
  if (weights_.stages != 0 && static_cast<std::size_t>(weights_.stages) != modules) {
    throw input_error({weights_.source, 0, "stages"}, std::to_string(weights_.stages),
                      std::to_string(modules) + ", as pipeline " + pipeline.name + " has, or 0: any number");
  }
  std::size_t most = 0;
  neighbours_.resize(modules);
  for (ModuleId m = 0; m < modules; ++m) {
    const Module& module = pipeline.modules[m];
    if (module.pres.empty()) continue;
    for (const ModuleId pre : module.pres) neighbours_[m].push_back({pre, AttentionRole::kPredecessor});
    for (const ModuleId sub : module.subs) neighbours_[m].push_back({sub, AttentionRole::kSuccessor});
    most = std::max(most, neighbours_[m].size());
  }
  features_.resize(modules);
  given_.resize(most);
  if (most > 0) pass_.run(weights_, {}, given_);  // makes room
}

void Attention::predict(std::span<const StageFeatures> stages, std::span<double> cv) {
  for (ModuleId m = 0; m < neighbours_.size(); ++m)
    features_[m] = attention_features(stages[m], AttentionRole::kSuccessor);
  for (ModuleId m = 0; m < neighbours_.size(); ++m) {
    const std::vector<Edge>& edges = neighbours_[m];
    if (edges.empty()) {
      cv[m] = known_cv(stages[m]);
      continue;
    }
    for (std::size_t j = 0; j < edges.size(); ++j) {
      const auto& [module, role] = edges[j];
      given_[j] = {seen_as(features_[module], role), known_cv(stages[module])};
    }
    pass_.run(weights_, seen_as(features_[m], AttentionRole::kItself), std::span(given_).first(edges.size()));
    cv[m] = std::clamp(portable_exp(pass_.log_cv), kMinCv, kMaxCv);
  }
}

}  // namespace harness

#include "systems/quart/attention_features.h"

#include <algorithm>
#include <cmath>

#include "harness/core/portable_math.h"

namespace harness {

AttentionFeatures seen_as(AttentionFeatures x, AttentionRole role) {
  if (role == AttentionRole::kPredecessor) x[0] = 1;
  if (role == AttentionRole::kItself) x[1] = 0;
  return x;
}

double known_cv(const StageFeatures& stage) {
  return std::isnan(stage.arrival_cv) ? 1 : std::clamp(stage.arrival_cv, kMinCv, kMaxCv);
}

AttentionFeatures attention_features(const StageFeatures& stage, AttentionRole role) {
  const double replicas = std::max(1, stage.replicas);
  return seen_as({0, portable_log(known_cv(stage)),
                  std::clamp(stage.rate_rps * stage.service_s / replicas, 0.0, 1.0), 1 / replicas},
                 role);
}

}  // namespace harness

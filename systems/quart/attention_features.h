// The features of a stage that QUART's attention looks at (section 5.2, Eq. 4).
#pragma once

#include <array>

#include "systems/quart/stage_features.h"

namespace harness {

/// The features x of Eq. 4, which have no units.
inline constexpr std::array kAttentionFeatures = {"predecessor", "log_cv", "utilisation",
                                                  "one_over_replicas"};
using AttentionFeatures = std::array<double, kAttentionFeatures.size()>;

/// The role of a stage for the stage whose CV is predicted. The latter's own CV is not one of its features:
/// the network would copy it.
enum class AttentionRole { kItself, kPredecessor, kSuccessor };
AttentionFeatures attention_features(const StageFeatures& stage, AttentionRole role);

/// Turns the features of a successor into the features of another role.
AttentionFeatures seen_as(AttentionFeatures x, AttentionRole role);

/// The bounds of the CVs that the network works in.
inline constexpr double kMinCv = 0.01;
inline constexpr double kMaxCv = 100;

/// Returns the measured CV within the bounds that the network works in; 1, as of Poisson arrivals, if it is
/// not known.
double known_cv(const StageFeatures& stage);

}  // namespace harness

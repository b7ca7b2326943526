// The equations of QUART's attention for one stage (section 5.2, Eq. 4-6).
#pragma once

#include <span>
#include <vector>

#include "systems/quart/attention_features.h"
#include "systems/quart/attention_weights.h"

namespace harness {

struct AttentionNeighbour;

/// The evaluation of Eq. 4 to 6 for one stage, with all intermediate results, which tests look at.
struct AttentionPass {
  std::vector<double> own;      ///< W x_i
  std::vector<double> others;   ///< W x_j: hidden() numbers for each neighbour
  std::vector<double> scores;   ///< a^T [W x_i || W x_j] by neighbour
  std::vector<double> shares;   ///< alpha_ij by neighbour; their sum is 1
  std::vector<double> updated;  ///< x'_i
  double log_cv = 0;            ///< f(x'_i)

  /// Evaluates the equations for at least one neighbour. Allocates only if it has not yet had as many.
  void run(const AttentionWeights& weights, const AttentionFeatures& itself,
           std::span<const AttentionNeighbour> neighbours);
};

/// A neighbour j of the stage.
struct AttentionNeighbour {
  AttentionFeatures x = {};
  double cv = 1;  ///< CV_j
};

/// The factor that LReLU puts on negative numbers.
inline constexpr double kLeak = 0.2;

/// Replaces exponents by the shares of their powers of e in the sum (Eq. 4).
void to_shares(std::span<double> exponents);

}  // namespace harness

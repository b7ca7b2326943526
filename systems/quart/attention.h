// QUART's attention: predicts how irregular the arrivals of each stage are from what is known of its
// neighbours (QUART, section 5.2, Eq. 4-6). README.md ("The attention") lists what the paper leaves open.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "harness/core/pipeline.h"
#include "systems/quart/stage_features.h"

namespace harness {

/// The weights that the network has learned, fitted beforehand by bench/quart_weights.
struct AttentionWeights {
  std::string source;     ///< name of the file, for messages
  int stages = 0;         ///< number of stages of the only pipelines that it was fitted for; 0: for any
  std::vector<double> w;  ///< W: `hidden()` rows, with a column for each feature
  std::vector<double> a;  ///< weights of W x_i, then of W x_j
  double theta = 0;       ///< weight of CV_j
  std::vector<double> f;  ///< weights of x'_i
  double bias = 0;        ///< constant that f adds

  /// Returns the number of components of W x.
  std::size_t hidden() const { return f.size(); }
};

/// Returns the weights that the program was built with (attention.toml).
AttentionWeights built_in_attention_weights();

/// The features x of Eq. 4, which have no units.
inline constexpr std::array kAttentionFeatures = {"predecessor", "log_cv", "utilisation",
                                                  "one_over_replicas"};
using AttentionFeatures = std::array<double, kAttentionFeatures.size()>;

/// The role of a stage for the stage whose CV is predicted. The latter's own CV is not one of its features:
/// the network would copy it.
enum class AttentionRole { kItself, kPredecessor, kSuccessor };
AttentionFeatures attention_features(const StageFeatures& stage, AttentionRole role);

/// Returns the measured CV within the bounds that the network works in; 1, as of Poisson arrivals, if it is
/// not known.
double known_cv(const StageFeatures& stage);

/// A neighbour j of the stage.
struct AttentionNeighbour {
  AttentionFeatures x = {};
  double cv = 1;  ///< CV_j
};

/// The evaluation of Eq. 4 to 6 for one stage, with all intermediate results, which tests and the fit look
/// at.
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

/// The factor that LReLU puts on negative numbers.
inline constexpr double kLeak = 0.2;

/// Replaces exponents by the shares of their powers of e in the sum (Eq. 4).
void to_shares(std::span<double> exponents);

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

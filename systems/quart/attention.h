// QUART's attention: predicts how irregular the arrivals of each stage are from what is known of its
// neighbours (QUART, section 5.2, Eq. 4-6). Where the paper says nothing: README.md, "The attention".
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "harness/core/pipeline.h"
#include "systems/quart/stage_features.h"

namespace harness {

/// What the network has learned. Fitted beforehand, by bench/quart_weights.
struct AttentionWeights {
  std::string source;     ///< the file, for messages
  int stages = 0;         ///< of the only pipelines that it was fitted for; 0: for any
  std::vector<double> w;  ///< W: `hidden()` rows, a column a feature
  std::vector<double> a;  ///< of W x_i, then of W x_j
  double theta = 0;       ///< of CV_j
  std::vector<double> f;  ///< of x'_i
  double bias = 0;        ///< of f

  /// Components of W x.
  std::size_t hidden() const { return f.size(); }
};

/// Those that the program was built with: attention.toml.
AttentionWeights built_in_attention_weights();

/// x of Eq. 4, without a unit.
inline constexpr std::array kAttentionFeatures = {"predecessor", "log_cv", "utilisation",
                                                  "one_over_replicas"};
using AttentionFeatures = std::array<double, kAttentionFeatures.size()>;

/// What a stage is to the one whose CV is predicted. Of the stage itself its own CV does not count: the
/// network would copy it.
enum class AttentionRole { kItself, kPredecessor, kSuccessor };
AttentionFeatures attention_features(const StageFeatures& stage, AttentionRole role);

/// The measured CV within the bounds that the network works in; 1, as of Poisson arrivals, where none is
/// known.
double known_cv(const StageFeatures& stage);

/// Of a neighbour j.
struct AttentionNeighbour {
  AttentionFeatures x = {};
  double cv = 1;  ///< CV_j
};

/// Eq. 4 to 6 for one stage, with all that lies between: tests and the fit look at it.
struct AttentionPass {
  std::vector<double> own;      ///< W x_i
  std::vector<double> others;   ///< W x_j: hidden() numbers a neighbour
  std::vector<double> scores;   ///< a^T [W x_i || W x_j] by neighbour
  std::vector<double> shares;   ///< alpha_ij by neighbour; their sum is 1
  std::vector<double> updated;  ///< x'_i
  double log_cv = 0;            ///< f(x'_i)

  /// At least one neighbour. Allocates only if it has not yet had as many.
  void run(const AttentionWeights& weights, const AttentionFeatures& itself,
           std::span<const AttentionNeighbour> neighbours);
};

/// By how much LReLU lets negative numbers through.
inline constexpr double kLeak = 0.2;

/// Makes of exponents the shares of their powers of e in the sum (Eq. 4).
void to_shares(std::span<double> exponents);

/// The network over a pipeline. Deterministic, the same bits on every machine. Single-threaded.
class Attention {
 public:
  /// Throws InputError where the weights are not for pipelines of as many modules.
  Attention(const Pipeline& pipeline, AttentionWeights weights);

  /// The CV of the arrivals at each stage, by module. A stage without a predecessor gets its own measured
  /// CV, which no other stage's explains. Allocates nothing.
  void predict(std::span<const StageFeatures> stages, std::span<double> cv);

 private:
  struct Edge {
    ModuleId module = 0;
    AttentionRole role = AttentionRole::kPredecessor;
  };
  AttentionWeights weights_;
  std::vector<std::vector<Edge>> neighbours_;  ///< by module; none of an entry
  std::vector<AttentionFeatures> features_;    ///< by module, as of a successor
  std::vector<AttentionNeighbour> given_;      ///< for one stage
  AttentionPass pass_;
};

}  // namespace harness

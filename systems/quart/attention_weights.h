// The weights of QUART's attention.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace harness {

/// The weights that the network has learned, fitted beforehand (README.md, "The attention").
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

}  // namespace harness

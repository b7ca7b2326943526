// The lengths of texts in tokens, for shared services.
#pragma once

#include <cstdint>

namespace harness {

/// Length of a request's text, in and out, at a module of a shared service.
struct TokenCount {
  std::uint32_t input = 0;
  std::uint32_t output = 1;  ///< at least 1: the prefill makes the first token
  bool operator==(const TokenCount&) const = default;
};

/// A lognormal number of tokens: median x e^(sigma x N(0, 1)), rounded, within 1..most.
struct TokenLengths {
  double median = 1;
  double sigma = 0;
  double most = 16384;
};

/// Returns the mean of the lognormal distribution (without rounding and `most`).
double mean_of(const TokenLengths& lengths);

}  // namespace harness

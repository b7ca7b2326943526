// Random numbers that loads are drawn from: an index with given probabilities, gaps of a Poisson process.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/core/random.h"

namespace harness {

// Exponential gaps of mean 1, made in blocks: three times as fast as RandomStream::exponential, the same
// bits.

/// Yields the same numbers as RandomStream::exponential on the same stream.
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

  /// portable_log (core/random.cc) without its branch, so that a loop over it can be vectorised.
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

class AliasTable {
 public:
  /// Index i is drawn in proportion to weights[i] >= 0; at least one is positive, at most 2^32 are given.
  void build(std::span<const double> weights);

  /// One random number a draw: its high part chooses the column, the low part one of the column's two.
  std::uint32_t draw(RandomStream& random) const {
    __extension__ using Wide = unsigned __int128;
    const Wide place = static_cast<Wide>(random.bits()) * columns_.size();
    const auto index = static_cast<std::uint32_t>(place >> 64);
    const Column& column = columns_[index];
    return static_cast<std::uint64_t>(place) < column.own ? index : column.other;
  }

 private:
  struct Column {
    std::uint64_t own = 0;    ///< share of the column that is its own index, of 2^64
    std::uint32_t other = 0;  ///< what the rest is
  };

  std::vector<Column> columns_;
  // Kept between builds so that they allocate once.
  std::vector<double> shares_;
  std::vector<std::uint32_t> small_;
  std::vector<std::uint32_t> large_;
};

}  // namespace harness

// Counter-based random numbers: every consumer has a stream of its own, keyed by (seed, name, index), so that
// no decision depends on who drew before it. A stream's name is part of its key: renaming it changes results.
// The bits are the same on every compiler and machine, because only integer operations, +, -, *, / and sqrt
// are used.
#pragma once

#include <cstdint>
#include <string_view>

#include "harness/core/hash.h"
#include "harness/core/portable_math.h"

namespace harness {

/// A stream of random numbers. Copying it copies its position.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::string_view name, std::uint64_t index = 0)
      : key_(mix64(mix64(seed + kGolden) ^ hash_text(name)) ^ mix64(index * kGolden + 1)) {}

  /// Returns 64 uniform bits.
  std::uint64_t bits() { return mix64(key_ + kGolden * ++count_); }
  /// Goes on as if bits() had been called so many times.
  void skip(std::uint64_t count) { count_ += count; }
  /// Returns a number uniform in [0, 1), with 53 bits.
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  /// Returns a number uniform in (0, 1], for logarithms.
  double uniform_positive() { return static_cast<double>((bits() >> 11) + 1) * 0x1p-53; }
  /// Returns an integer uniform in [0, n), n >= 1 (multiply-shift; bias below n / 2^64).
  std::uint64_t below(std::uint64_t n) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(bits()) * n) >> 64);
  }
  /// Returns an exponential number with mean 1.
  double exponential() { return -portable_log(uniform_positive()); }
  /// Returns a standard normal number (polar method).
  double normal();
  /// Returns a gamma number with the given shape > 0 and scale 1 (Marsaglia and Tsang, 2000).
  double gamma(double shape);

 private:
  static constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ULL;
  std::uint64_t key_;
  std::uint64_t count_ = 0;
};

}  // namespace harness

// Counter-based random numbers: every consumer has a stream of its own, keyed by (seed, name, index), so that
// no decision depends on who drew before it. A stream's name is part of its key: renaming it changes results.
// The bits are the same on every compiler and machine, because only integer operations, +, -, *, / and sqrt
// are used.
#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>

namespace harness {

/// A 64-bit mixing function (the finaliser of SplitMix64, Steele et al., OOPSLA'14).
constexpr std::uint64_t mix64(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// Returns the 64-bit FNV-1a hash, for names and fingerprints of text.
constexpr std::uint64_t hash_text(std::string_view text, std::uint64_t start = 0xcbf29ce484222325ULL) {
  std::uint64_t hash = start;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

/// Returns the natural logarithm of x > 0, finite and normal, within 2 ulp; unlike std::log it gives the same
/// bits with every libm.
double portable_log(double x);
/// Returns e^x for |x| <= 700 (clamped there) with a relative error below 1e-14; the same bits with every
/// libm.
double portable_exp(double x);

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

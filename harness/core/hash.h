// Hashes of 64 bits, the same on every compiler and machine.
#pragma once

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

}  // namespace harness

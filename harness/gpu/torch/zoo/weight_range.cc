#include "harness/gpu/torch/zoo/weight_range.h"

#include <cmath>
#include <cstddef>

#include "harness/core/hash.h"

namespace harness {
namespace {

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ULL;

/// Returns the upper 24 bits of `bits`, which a float holds exactly, as a number in [-1, 1).
float symmetric(std::uint32_t bits) {
  return static_cast<float>(static_cast<std::int32_t>(bits >> 8) - (1 << 23)) * 0x1p-23F;
}

}  // namespace

WeightRange range_of_variance(double variance) { return {0, static_cast<float>(std::sqrt(3 * variance))}; }

void fill_uniform(std::span<float> values, std::uint64_t seed, std::string_view name, float centre,
                  float half_width) {
  const std::uint64_t key = mix64(mix64(seed + kGolden) ^ hash_text(name));
  std::uint64_t count = 0;
  std::size_t i = 0;
  for (; i + 1 < values.size(); i += 2) {
    const std::uint64_t bits = mix64(key + kGolden * ++count);
    values[i] = centre + half_width * symmetric(static_cast<std::uint32_t>(bits >> 32));
    values[i + 1] = centre + half_width * symmetric(static_cast<std::uint32_t>(bits));
  }
  if (i < values.size())
    values[i] =
        centre + half_width * symmetric(static_cast<std::uint32_t>(mix64(key + kGolden * ++count) >> 32));
}

}  // namespace harness

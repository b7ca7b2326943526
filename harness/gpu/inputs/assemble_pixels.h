// The arithmetic of batch assembly, the same source for the CPU version and the CUDA kernel. On the CPU every
// operation rounds once; for GPUs the compiler turns some into fused multiply-adds, which round less often:
// both stay within tolerance_of() (input_format.h), and taps are the same bits.
#pragma once

#include <cstdint>

#include "harness/gpu/inputs/assembly_constants.h"

#ifdef __CUDACC__
#define HARNESS_HOST_DEVICE __host__ __device__ __forceinline__
#else
#define HARNESS_HOST_DEVICE inline
#endif
#ifdef __CUDA_ARCH__
#define HARNESS_UNROLL _Pragma("unroll")
#else
#define HARNESS_UNROLL
#endif

namespace harness {

/// The largest side of an image or of the network's input: offsets and the numerators of taps then fit 32
/// bits.
inline constexpr int kLongestSide = 16384;

/// An image as the kernel reads it: as little-endian words. The first byte is at a multiple of 4, and the
/// last word is readable to its end.
struct StagedImage {
  const std::uint32_t* words = nullptr;
  std::int32_t height = 0;
  std::int32_t width = 0;
};
static_assert(sizeof(StagedImage) == 16);

/// The position of an output row (or column) between the input's: (1 - weight) of `low` and weight of `low` +
/// 1. The weight is 0 if `low` + 1 does not exist.
struct Tap {
  int low = 0;
  float weight = 0;
};

/// Returns the tap by half-pixel centres: output position `to` of `to_size` lies at (to + 1/2) * from_size /
/// to_size - 1/2 of the input, moved to the nearest edge if outside. `half` is 1 / (2 to_size) in float. The
/// position is an exact fraction; only the weight is rounded, to within 2^-23.
HARNESS_HOST_DEVICE Tap tap_of(int to, int to_size, float half, int from_size) {
  const int denominator = 2 * to_size;
  const int exact = (2 * to + 1) * from_size - to_size;
  const int numerator = exact > 0 ? exact : 0;
  // The quotient is below 2^14 and its relative error below 2^-22: it is off by one at most.
  int low = static_cast<int>(static_cast<float>(numerator) * half);
  int rest = numerator - low * denominator;
  const int over = (rest >= denominator ? 1 : 0) - (rest < 0 ? 1 : 0);
  low += over;
  rest -= over * denominator;
  return {low, low + 1 < from_size ? static_cast<float>(rest) * half : 0.0F};
}

/// Returns `from` at weight 0, `to` at weight 1.
HARNESS_HOST_DEVICE float blend(float from, float to, float weight) { return from + weight * (to - from); }

HARNESS_HOST_DEVICE float normalise(float pixel, float gain, float offset) { return pixel * gain + offset; }

/// Two pixels side by side, from the lowest byte: R G B of the left one, then R G B of the right one.
struct PixelPair {
  std::uint32_t first = 0;   ///< bytes 0 to 3
  std::uint32_t second = 0;  ///< bytes 4 to 7, of which two are used
};

/// Returns the six bytes from byte `at` on, by three aligned loads. Words after `last_word` are not read:
/// bytes beyond it repeat the bytes of `last_word`.
HARNESS_HOST_DEVICE PixelPair load_pair(const std::uint32_t* words, std::uint32_t at,
                                        std::uint32_t last_word) {
  const std::uint32_t word = at / 4;
  const std::uint32_t shift = at % 4 * 8;
  const std::uint32_t a = words[word];
  const std::uint32_t b = words[word + 1 < last_word ? word + 1 : last_word];
  const std::uint32_t c = words[word + 2 < last_word ? word + 2 : last_word];
  return {static_cast<std::uint32_t>(((static_cast<std::uint64_t>(b) << 32) | a) >> shift),
          static_cast<std::uint32_t>(((static_cast<std::uint64_t>(c) << 32) | b) >> shift)};
}

/// Returns byte `index`, 0 to 5, of the pair.
HARNESS_HOST_DEVICE float byte_of(const PixelPair& pair, int index) {
  const std::uint32_t word = index < 4 ? pair.first : pair.second;
  return static_cast<float>((word >> (index % 4 * 8)) & 0xFFU);
}

/// Does the work of one thread of the kernel: computes kRows output pixels below each other, from (first_row,
/// column) on, in all three planes. `planes` is the first of the image's three output planes.
template <int kRows>
HARNESS_HOST_DEVICE void assemble_pixels(const StagedImage& image, const AssemblyConstants& constants,
                                         int first_row, int column, float* planes) {
  const std::uint32_t last_word = static_cast<std::uint32_t>(3 * image.height * image.width - 1) / 4;
  const Tap across = tap_of(column, constants.width, constants.half_column, image.width);
  PixelPair upper[kRows];
  PixelPair lower[kRows];
  float weight[kRows];
  HARNESS_UNROLL
  for (int i = 0; i < kRows; ++i) {  // all loads come first, so that they wait together
    const int row = first_row + i < constants.height ? first_row + i : constants.height - 1;
    const Tap down = tap_of(row, constants.height, constants.half_row, image.height);
    const int next = down.weight > 0 ? down.low + 1 : down.low;
    weight[i] = down.weight;
    upper[i] = load_pair(image.words, static_cast<std::uint32_t>(3 * (down.low * image.width + across.low)),
                         last_word);
    lower[i] =
        load_pair(image.words, static_cast<std::uint32_t>(3 * (next * image.width + across.low)), last_word);
  }
  const int plane = constants.height * constants.width;
  HARNESS_UNROLL
  for (int i = 0; i < kRows; ++i) {
    float* to = planes + (first_row + i) * constants.width + column;
    HARNESS_UNROLL
    for (int channel = 0; channel < 3; ++channel) {
      const float left = blend(byte_of(upper[i], channel), byte_of(lower[i], channel), weight[i]);
      const float right = blend(byte_of(upper[i], channel + 3), byte_of(lower[i], channel + 3), weight[i]);
      const float pixel = blend(left, right, across.weight);
      const float value = normalise(pixel, constants.gain[channel], constants.offset[channel]);
      if (first_row + i < constants.height) to[channel * plane] = value;
    }
  }
}

}  // namespace harness

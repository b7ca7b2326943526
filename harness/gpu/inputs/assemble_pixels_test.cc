// The kernel's per-thread code, run on the host thread by thread over the kernel's grid: this test shows
// which values it computes and which words it reads, cuda/assemble_batch_test.cc the launch itself, on a GPU.
#include "harness/gpu/inputs/assemble_pixels.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "harness/gpu/inputs/assembler.h"
#include "harness/gpu/inputs/assembly_constants.h"
#include "harness/gpu/inputs/input_format.h"
#include "harness/gpu/inputs/test_images.h"

namespace harness {
namespace {

void expect_exact_tap(int to, int to_size, int from_size) {
  const Tap tap = tap_of(to, to_size, 1.0F / static_cast<float>(2 * to_size), from_size);
  const long long numerator = (2LL * to + 1) * from_size - to_size;
  const long long denominator = 2LL * to_size;
  long long low = numerator < 0 ? 0 : numerator / denominator;
  double weight =
      numerator < 0 ? 0 : static_cast<double>(numerator % denominator) / static_cast<double>(denominator);
  if (low >= from_size - 1) {
    low = from_size - 1;
    weight = 0;
  }
  ASSERT_EQ(tap.low, low) << to << " of " << to_size << " from " << from_size;
  ASSERT_LE(std::abs(static_cast<double>(tap.weight) - weight), 0x1p-23 * weight)
      << to << " of " << to_size << " from " << from_size;
}

TEST(Tap, IsTheExactFractionForEverySmallSize) {
  for (int to_size = 1; to_size <= 70; ++to_size) {
    for (int from_size = 1; from_size <= 70; ++from_size) {
      for (int to = 0; to < to_size; ++to) expect_exact_tap(to, to_size, from_size);
    }
  }
}

TEST(Tap, IsTheExactFractionAtTheLargestSizes) {
  const std::uint64_t seed = fresh_seed();
  SCOPED_TRACE(seed_text(seed));
  RandomStream random(seed, "tap");
  for (int i = 0; i < 300'000; ++i) {
    const int to_size = kLongestSide - static_cast<int>(random.below(i % 2 == 0 ? 10 : kLongestSide));
    const int from_size = kLongestSide - static_cast<int>(random.below(i % 3 == 0 ? 10 : kLongestSide));
    expect_exact_tap(static_cast<int>(random.below(static_cast<std::uint64_t>(to_size))), to_size, from_size);
    expect_exact_tap(to_size - 1, to_size, from_size);
    if (HasFatalFailure()) return;
  }
}

/// Returns words that hold an image's bytes and no more, so that the address sanitizer sees a read past them.
std::vector<std::uint32_t> words_of(const OwnedImage& image) {
  std::vector<std::uint32_t> words((image.bytes.size() + 3) / 4);
  std::memcpy(words.data(), image.bytes.data(), image.bytes.size());
  return words;
}

template <int kRows>
std::vector<float> by_threads(const OwnedImage& image, const InputFormat& format) {
  const std::vector<std::uint32_t> words = words_of(image);
  const AssemblyConstants constants = constants_of(format);
  std::vector<float> out(batch_elements(format, 1), std::numeric_limits<float>::quiet_NaN());
  for (int first_row = 0; first_row < format.height; first_row += kRows) {
    for (int column = 0; column < format.width; ++column) {
      assemble_pixels<kRows>({words.data(), image.height, image.width}, constants, first_row, column,
                             out.data());
    }
  }
  return out;
}

TEST(AssemblePixels, GivesTheBitsOfTheCpuVersion) {
  const std::uint64_t seed = fresh_seed();
  SCOPED_TRACE(seed_text(seed));
  RandomStream random(seed, "kernel");
  for (int i = 0; i < 2000; ++i) {
    const InputFormat format = random_format(random, 6);
    const int height = random_side(random, 8);
    const OwnedImage image = random_image(random, height, random_side(random, 8));
    std::vector<float> expected(batch_elements(format, 1));
    assemble_batch(std::vector<Image>{image.view()}, format, expected);
    for (const std::vector<float>& found : {by_threads<4>(image, format), by_threads<1>(image, format)}) {
      ASSERT_EQ(std::memcmp(found.data(), expected.data(), found.size() * sizeof(float)), 0)
          << image.width << "x" << image.height << " to " << format.width << "x" << format.height;
    }
  }
}

TEST(LoadPair, GivesSixBytesFromAnyAlignment) {
  std::vector<std::uint8_t> bytes(24);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{1});
  std::vector<std::uint32_t> words(6);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  for (std::uint32_t at = 0; at <= 18; ++at) {
    const PixelPair pair = load_pair(words.data(), at, 5);
    for (int i = 0; i < 6; ++i)
      EXPECT_EQ(byte_of(pair, i), static_cast<float>(at + 1) + static_cast<float>(i));
  }
}

}  // namespace
}  // namespace harness

// Images and formats for tests, drawn afresh in every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "harness/core/random_stream.h"
#include "harness/gpu/inputs/image.h"
#include "harness/gpu/inputs/input_format.h"
#include "harness/gpu/inputs/input_layout.h"

namespace harness {

/// Returns another seed in every run, or HARNESS_TEST_SEED if that is set. A test shows it with its failures.
inline std::uint64_t fresh_seed() {
  const char* given = std::getenv("HARNESS_TEST_SEED");
  if (given != nullptr) return std::strtoull(given, nullptr, 10);
  return std::random_device{}();
}

inline std::string seed_text(std::uint64_t seed) { return "HARNESS_TEST_SEED=" + std::to_string(seed); }

/// An image with its bytes.
struct OwnedImage {
  std::vector<std::uint8_t> bytes;
  int height = 0;
  int width = 0;
  Image view() const { return {bytes, height, width}; }
};

inline std::vector<Image> views_of(const std::vector<OwnedImage>& images) {
  std::vector<Image> views;
  for (const OwnedImage& image : images) views.push_back(image.view());
  return views;
}

/// Returns an image of uniform random bytes, which are the hardest to interpolate.
inline OwnedImage random_image(RandomStream& random, int height, int width) {
  OwnedImage image{
      std::vector<std::uint8_t>(3 * static_cast<std::size_t>(height) * static_cast<std::size_t>(width)),
      height, width};
  for (std::uint8_t& byte : image.bytes) byte = static_cast<std::uint8_t>(random.below(256));
  return image;
}

/// Returns a side of 1 to 2^bits pixels; small sides are as likely as large ones.
inline int random_side(RandomStream& random, int bits) {
  const std::uint64_t most = std::uint64_t{1} << random.below(static_cast<std::uint64_t>(bits) + 1);
  return static_cast<int>(random.below(most)) + 1;
}

inline std::vector<OwnedImage> random_images(RandomStream& random, int count, int bits) {
  std::vector<OwnedImage> images;
  for (int i = 0; i < count; ++i) {
    const int height = random_side(random, bits);
    images.push_back(random_image(random, height, random_side(random, bits)));
  }
  return images;
}

inline InputFormat random_format(RandomStream& random, int bits) {
  InputFormat format;
  format.height = random_side(random, bits);
  format.width = random_side(random, bits);
  for (std::size_t channel = 0; channel < 3; ++channel) {
    format.mean[channel] = static_cast<float>(random.uniform());
    format.scale[channel] = static_cast<float>(1 / (0.1 + random.uniform()));
  }
  return format;
}

/// Returns the layout of a whole batch that is placed at once.
inline InputLayout layout_of(const std::vector<Image>& batch) {
  InputLayout layout;
  layout.clear(batch.size());
  layout.place(batch);
  return layout;
}

/// Fills `host` for a buffer at `device`.
inline void stage(InputLayout layout, std::span<std::byte> host, const std::byte* device) {
  layout.write_table(host, device);
  layout.stage(host, layout.size());
}

}  // namespace harness

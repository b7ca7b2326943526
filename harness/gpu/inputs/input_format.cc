#include "harness/gpu/inputs/input_format.h"

#include <cmath>
#include <string>

#include "harness/core/input_error.h"
#include "harness/gpu/inputs/assemble_pixels.h"

namespace harness {
namespace {

bool is_side(int side) { return side >= 1 && side <= kLongestSide; }

std::string size_text(int height, int width) {
  return std::to_string(width) + "x" + std::to_string(height) + " pixels";
}

const char* allowed_sides() {
  static_assert(kLongestSide == 16384);
  return "sides of 1 to 16384 pixels";
}

}  // namespace

std::size_t batch_elements(const InputFormat& format, std::size_t count) {
  return count * 3 * static_cast<std::size_t>(format.height) * static_cast<std::size_t>(format.width);
}

void check_format(const InputFormat& format) {
  if (!is_side(format.height) || !is_side(format.width)) {
    throw input_error({"", 0, "size of the network's input"}, size_text(format.height, format.width),
                      allowed_sides());
  }
  for (std::size_t channel = 0; channel < 3; ++channel) {
    if (!std::isfinite(format.mean[channel]) || !std::isfinite(format.scale[channel])) {
      throw input_error(
          {"", 0, "normalisation of channel " + std::to_string(channel)},
          "mean " + std::to_string(format.mean[channel]) + ", scale " + std::to_string(format.scale[channel]),
          "finite numbers");
    }
  }
}

void check_images(std::span<const Image> images) {
  for (std::size_t i = 0; i < images.size(); ++i) {
    const Image& image = images[i];
    const InputPlace place{"", 0, "image " + std::to_string(i + 1) + " of " + std::to_string(images.size())};
    if (!is_side(image.height) || !is_side(image.width)) {
      throw input_error(place, size_text(image.height, image.width), allowed_sides());
    }
    const std::size_t bytes =
        3 * static_cast<std::size_t>(image.height) * static_cast<std::size_t>(image.width);
    if (image.bytes.size() != bytes) {
      throw input_error(
          place, std::to_string(image.bytes.size()) + " bytes for " + size_text(image.height, image.width),
          std::to_string(bytes) + " bytes (RGB)");
    }
  }
}

float tolerance_of(const InputFormat& format, std::size_t channel) {
  constexpr float kHalfUlp = 0x1p-24F;
  return std::abs(format.scale[channel]) * kHalfUlp * (13 + 2 * std::abs(format.mean[channel]));
}

}  // namespace harness

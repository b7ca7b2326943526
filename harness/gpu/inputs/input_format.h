// The input of a network, with the checks of it and of the images that are made into it.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "harness/gpu/inputs/image.h"

namespace harness {

/// The input of a network: three float32 planes (R, G, B) of height x width, each value (pixel / 255 -
/// mean[channel]) * scale[channel]. So `scale` is 1 / the standard deviation if a model's description gives
/// that.
struct InputFormat {
  int height = 0;
  int width = 0;
  std::array<float, 3> mean = {0, 0, 0};
  std::array<float, 3> scale = {1, 1, 1};
};

/// Returns the number of floats of a batch of `count` images: count * 3 * height * width.
std::size_t batch_elements(const InputFormat& format, std::size_t count);

/// Throws InputError if the format has no pixels, more than kLongestSide on a side, or a mean or scale that
/// is not finite.
void check_format(const InputFormat& format);
/// Throws InputError, which names the image, if an image's sides are not 1 to kLongestSide or its bytes are
/// not 3 * height * width.
void check_images(std::span<const Image> images);

/// Returns how far a value of this channel may be from the exact one, in each version: |scale| * 2^-24 * (13
/// + 2 |mean|). Two versions are at most twice that apart.
float tolerance_of(const InputFormat& format, std::size_t channel);

}  // namespace harness

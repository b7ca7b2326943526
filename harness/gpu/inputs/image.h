// The image that a request carries into the first module of a vision pipeline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace harness {

/// Rounds up to a multiple of 16: the bytes of each image in a buffer begin at one.
constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 15) / 16 * 16; }

/// An RGB image: 3 x height x width bytes, rows top down, the three values of a pixel side by side. It does
/// not own its bytes: they must stay until the batch that they are part of has ended.
struct Image {
  std::span<const std::uint8_t> bytes;
  int height = 0;
  int width = 0;
  bool on_device = false;  ///< true if its bytes are in the device's memory
};

}  // namespace harness

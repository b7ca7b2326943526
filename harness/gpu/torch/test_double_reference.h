// For tests: the output of a network for images, in double precision from the bytes on.
#pragma once

#include <ATen/ATen.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "harness/gpu/inputs/input_format.h"
#include "harness/gpu/torch/zoo/network.h"
#include "harness/gpu/torch/zoo/zoo.h"

namespace harness {

/// Returns the image as a network's input [1, 3, height, width] in double, resized as
/// torch.nn.functional.interpolate does (mode "bilinear", align_corners = false).
inline at::Tensor double_input(const Image& image, const InputFormat& format) {
  std::vector<std::uint8_t> bytes(image.bytes.begin(), image.bytes.end());
  const at::Tensor pixels = at::from_blob(bytes.data(), {1, image.height, image.width, 3}, at::kByte)
                                .permute({0, 3, 1, 2})
                                .to(at::kDouble);
  const std::array<std::int64_t, 2> size = {format.height, format.width};
  const at::Tensor resized = at::upsample_bilinear2d(pixels, at::IntArrayRef(size), false) / 255.0;
  const auto channels = [](const std::array<float, 3>& values) {
    at::Tensor tensor = at::empty({1, 3, 1, 1}, at::kDouble);
    for (std::int64_t c = 0; c < 3; ++c)
      tensor[0][c][0][0] = static_cast<double>(values[static_cast<std::size_t>(c)]);
    return tensor;
  };
  return (resized - channels(format.mean)) * channels(format.scale);
}

/// A zoo's network whose arithmetic and weights (drawn in single precision) are double.
class DoubleNetwork {
 public:
  DoubleNetwork(const ZooModel& model, std::uint64_t seed)
      : model_(model), network_(make_model(model, seed)) {
    network_->to(at::kDouble);
  }

  std::vector<double> output(const Image& image) const {
    const at::Tensor values = network_->forward(double_input(image, model_.input)).contiguous();
    return {values.data_ptr<double>(), values.data_ptr<double>() + values.numel()};
  }

 private:
  const ZooModel& model_;
  std::shared_ptr<Network> network_;
};

}  // namespace harness

// Batch assembly against LibTorch's own resize, in double.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "harness/gpu/assembly.h"
#include "harness/gpu/test_pictures.h"

namespace harness {
namespace {

torch::Tensor reference(const OwnedPicture& picture, const InputFormat& format) {
  namespace functional = torch::nn::functional;
  auto bytes = picture.bytes;
  const torch::Tensor pixels =
      torch::from_blob(bytes.data(), {1, picture.height, picture.width, 3}, torch::kUInt8)
          .permute({0, 3, 1, 2})
          .to(torch::kDouble);
  const auto options = functional::InterpolateFuncOptions()
                           .size(std::vector<std::int64_t>{format.height, format.width})
                           .mode(torch::kBilinear)
                           .align_corners(false);
  const torch::Tensor resized = functional::interpolate(pixels, options) / 255.0;
  const auto channels = [](const std::array<float, 3>& values) {
    return torch::tensor(std::vector<double>(values.begin(), values.end()), torch::kDouble)
        .view({1, 3, 1, 1});
  };
  return (resized - channels(format.mean)) * channels(format.scale);
}

TEST(AssemblyAgainstTorch, IsWithinTheRoundingOfAssembly) {
  const std::uint64_t seed = fresh_seed();
  SCOPED_TRACE(seed_text(seed));
  RandomStream random(seed, "torch");
  for (int i = 0; i < 150; ++i) {
    const InputFormat format = random_format(random, 8);
    const int height = random_side(random, 9);
    const OwnedPicture picture = random_picture(random, height, random_side(random, 9));
    std::vector<float> out(batch_elements(format, 1));
    assemble_batch(std::vector<Picture>{picture.view()}, format, out);
    const torch::Tensor found =
        torch::from_blob(out.data(), {1, 3, format.height, format.width}).to(torch::kDouble);
    const torch::Tensor off = (found - reference(picture, format)).abs();
    for (std::int64_t channel = 0; channel < 3; ++channel) {
      const auto mean = static_cast<double>(format.mean[static_cast<std::size_t>(channel)]);
      const auto scale = static_cast<double>(format.scale[static_cast<std::size_t>(channel)]);
      const double bound = std::abs(scale) * 0x1p-24 * (13 + 2 * std::abs(mean));
      ASSERT_LE(off.select(1, channel).max().item<double>(), bound)
          << picture.width << "x" << picture.height << " to " << format.width << "x" << format.height;
    }
  }
}

}  // namespace
}  // namespace harness

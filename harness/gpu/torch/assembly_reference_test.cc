// Compares batch assembly with LibTorch's own resize, in double.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "harness/gpu/inputs/assembler.h"
#include "harness/gpu/inputs/input_format.h"
#include "harness/gpu/inputs/test_images.h"
#include "harness/gpu/torch/test_double_reference.h"

namespace harness {
namespace {

TEST(AssemblyAgainstTorch, IsWithinTheRoundingOfAssembly) {
  const std::uint64_t seed = fresh_seed();
  SCOPED_TRACE(seed_text(seed));
  RandomStream random(seed, "torch");
  for (int i = 0; i < 150; ++i) {
    const InputFormat format = random_format(random, 8);
    const int height = random_side(random, 9);
    const OwnedImage image = random_image(random, height, random_side(random, 9));
    std::vector<float> out(batch_elements(format, 1));
    assemble_batch(std::vector<Image>{image.view()}, format, out);
    const at::Tensor found = at::from_blob(out.data(), {1, 3, format.height, format.width}).to(at::kDouble);
    const at::Tensor off = (found - double_input(image.view(), format)).abs();
    for (std::int64_t channel = 0; channel < 3; ++channel) {
      const auto mean = static_cast<double>(format.mean[static_cast<std::size_t>(channel)]);
      const auto scale = static_cast<double>(format.scale[static_cast<std::size_t>(channel)]);
      const double bound = std::abs(scale) * 0x1p-24 * (13 + 2 * std::abs(mean));
      ASSERT_LE(off.select(1, channel).max().item<double>(), bound)
          << image.width << "x" << image.height << " to " << format.width << "x" << format.height;
    }
  }
}

}  // namespace
}  // namespace harness

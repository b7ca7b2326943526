// The assembly kernel on the fake runtime: the stream's thread runs its per-thread code over its grid.
#include "harness/core/check.h"
#include "harness/gpu/cuda/assemble_batch.h"
#include "harness/gpu/cuda/cuda_check.h"
#include "harness/gpu/cuda/test_fake_cuda.h"

namespace harness {

void assemble_batch_cuda(const StagedImage* images, int count, const AssemblyConstants& constants, float* out,
                         CUstream_st* stream) {
  HARNESS_CHECK(count >= 0 && count <= kMaxAssembled, "a batch to assemble has 0 to 65535 images");
  if (count == 0) return;
  const std::size_t planes =
      3 * static_cast<std::size_t>(constants.height) * static_cast<std::size_t>(constants.width);
  const auto images_of_batch = static_cast<std::size_t>(count);
  const auto run = [=] {
    if (!fake_cuda::is_usable(images, images_of_batch * sizeof(StagedImage)) ||
        !fake_cuda::is_usable(out, images_of_batch * planes * sizeof(float)))
      return cudaErrorIllegalAddress;
    for (std::size_t i = 0; i < images_of_batch; ++i) {
      const StagedImage& image = images[i];
      const std::size_t bytes =
          3 * static_cast<std::size_t>(image.height) * static_cast<std::size_t>(image.width);
      if (!fake_cuda::is_usable(image.words, (bytes + 3) / 4 * 4)) return cudaErrorIllegalAddress;
      constexpr int kRows = 4;
      for (int row = 0; row < constants.height; row += kRows) {
        for (int column = 0; column < constants.width; ++column)
          assemble_pixels<kRows>(image, constants, row, column, out + i * planes);
      }
    }
    return cudaSuccess;
  };
  const cudaError_t launched = fake_cuda::enqueue("assemble_kernel", stream, {images, out}, run);
  cuda_check(launched, "assemble_kernel", "assembling a batch of " + std::to_string(count) + " images");
}

}  // namespace harness

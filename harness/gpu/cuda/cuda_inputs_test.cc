#include "harness/gpu/cuda/cuda_inputs.h"

#include <gtest/gtest.h>

#include <vector>

#include "harness/gpu/cuda/assemble_batch.h"
#include "harness/gpu/cuda/cuda_gpus.h"
#include "harness/gpu/cuda/test_assembled.h"
#include "harness/gpu/inputs/assembly_constants.h"
#include "harness/gpu/inputs/input_format.h"
#include "harness/gpu/inputs/test_images.h"

namespace harness {
namespace {

class CudaInputsTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string why = why_no_cuda_device();
    if (!why.empty()) GTEST_SKIP() << "no GPU: " << why;
  }
  /// Copies and assembles the batch, and compares the result with the CPU's.
  void expect_assembled(CudaInputs& inputs, const std::vector<Image>& images) {
    const InputFormat format{33, 47, {0.4F, 0.5F, 0.6F}, {2, 3, 4}};
    CudaStream copies;
    CudaStream compute;
    while (inputs.copy_some(copies)) {
    }
    const CudaBuffer out(batch_elements(format, images.size()) * sizeof(float), "test");
    const PinnedBuffer back(out.size(), "test");
    inputs.wait_in(compute);
    assemble_batch_cuda(inputs.table(), static_cast<int>(images.size()), constants_of(format),
                        reinterpret_cast<float*>(out.data()), compute.get());
    copy_to_host(out, back, out.size(), compute);
    compute.synchronize();
    harness::expect_assembled(reinterpret_cast<const float*>(back.bytes().data()), images, format);
  }
};

TEST_F(CudaInputsTest, BringImagesOver) {
  RandomStream random(fresh_seed(), "inputs");
  CudaInputs inputs;
  inputs.reserve(1000);
  for (int i = 0; i < 5; ++i) {
    const std::vector<OwnedImage> owned = random_images(random, 6, 10);
    const std::vector<Image> images = views_of(owned);
    inputs.begin(3, 8, images);
    expect_assembled(inputs, images);
    inputs.clear();
    for (std::size_t k = 0; k < 4; ++k) inputs.prepare(3, 8, images[k]);
    inputs.begin(3, 8, images);
    expect_assembled(inputs, images);
    inputs.clear();
  }
}

TEST_F(CudaInputsTest, ForgetWhatWasPreparedForAnotherModel) {
  RandomStream random(fresh_seed(), "inputs");
  CudaInputs inputs;
  inputs.reserve(1 << 20);
  const std::vector<OwnedImage> owned = random_images(random, 6, 6);
  const std::vector<Image> images = views_of(owned);
  for (const Image& image : images) inputs.prepare(1, 8, image);
  inputs.begin(2, 6, images);
  expect_assembled(inputs, images);
}

}  // namespace
}  // namespace harness

// Tests of streams, memory and inputs on the fake runtime: each test leaves nothing behind and no fault.
#include "harness/gpu/cuda/cuda_graph.h"
#include "harness/gpu/cuda/test_fake_cuda.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/gpu/cuda/assemble_batch.h"
#include "harness/gpu/cuda/cuda_buffer.h"
#include "harness/gpu/cuda/cuda_inputs.h"
#include "harness/gpu/cuda/pinned_pool.h"
#include "harness/gpu/inputs/assembler.h"
#include "harness/gpu/inputs/assembly_constants.h"
#include "harness/gpu/inputs/input_format.h"
#include "harness/gpu/inputs/test_images.h"

namespace harness {
namespace {

using Lines = std::vector<std::string>;

class FakeCuda : public testing::Test {
 protected:
  void SetUp() override {
    cudaSetDevice(0);
    fake_cuda::reset();
  }
  void TearDown() override { EXPECT_EQ(fake_cuda::reset(), Lines()); }
};

/// Enqueues work that counts its runs.
cudaError_t enqueue_count(const CudaStream& stream, int& runs) {
  return fake_cuda::enqueue("count", stream.get(), {}, [&runs] {
    ++runs;
    return cudaSuccess;
  });
}

/// The host already waits when the work that marks the event fails.
TEST_F(FakeCuda, AnEventIsPassedWhoseMarkFails) {
  CudaStream stream;
  CudaEvent event(CudaEvent::Timing::kOff);
  fake_cuda::hold();
  fake_cuda::fail("cudaEventRecord runs", cudaErrorECCUncorrectable);
  event.record(stream);
  EXPECT_THROW(event.wait(), DeviceError);
}

TEST_F(FakeCuda, StreamsRunInOrderAndWaitForEvents) {
  CudaStream first;
  CudaStream second;
  CudaEvent event(CudaEvent::Timing::kOff);
  int runs = 0;
  fake_cuda::hold();
  ASSERT_EQ(enqueue_count(first, runs), cudaSuccess);
  event.record(first);
  EXPECT_FALSE(event.passed());
  second.wait_for(event);
  ASSERT_EQ(enqueue_count(second, runs), cudaSuccess);
  second.synchronize();
  EXPECT_EQ(runs, 2);
  EXPECT_TRUE(event.passed());
}

TEST_F(FakeCuda, AGraphRunsWhatItRecordedAsOftenAsItIsLaunched) {
  CudaStream stream;
  int runs = 0;
  const CudaGraph graph(stream, [&] { enqueue_count(stream, runs); });
  stream.synchronize();
  EXPECT_EQ(runs, 0);
  for (int i = 0; i < 3; ++i) graph.launch(stream);
  stream.synchronize();
  EXPECT_EQ(runs, 3);
}

TEST_F(FakeCuda, AnErrorOfWorkLosesItsDeviceAlone) {
  CudaStream stream;
  int runs = 0;
  fake_cuda::fail("count runs", cudaErrorIllegalAddress);
  ASSERT_EQ(enqueue_count(stream, runs), cudaSuccess);
  EXPECT_THROW(stream.synchronize(), DeviceError);
  EXPECT_EQ(enqueue_count(stream, runs), cudaErrorIllegalAddress);
  EXPECT_EQ(runs, 0);
  EXPECT_THROW(CudaBuffer(64, "a test"), DeviceError);
  cudaSetDevice(1);
  CudaStream other;
  ASSERT_EQ(enqueue_count(other, runs), cudaSuccess);
  other.synchronize();
  EXPECT_EQ(runs, 1);
}

TEST_F(FakeCuda, TellsOfMemoryThatWasLeftOrFreedTooEarly) {
  void* host = nullptr;
  ASSERT_EQ(cudaHostAlloc(&host, 10, 0), cudaSuccess);
  EXPECT_EQ(fake_cuda::reset(), Lines{"1 objects were left behind"});
  {
    CudaStream stream;
    const CudaBuffer device(10, "a test");
    fake_cuda::hold();
    ASSERT_EQ(cudaMemcpyAsync(device.data(), host, 10, cudaMemcpyHostToDevice, stream.get()), cudaSuccess);
    fake_cuda::fail("cudaMemcpyAsync runs", cudaErrorIllegalAddress);  // it must not run: the memory is gone
    EXPECT_EQ(cudaFreeHost(host), cudaSuccess);
  }
  EXPECT_EQ(fake_cuda::reset(), Lines{"10 bytes freed while work that names them was queued"});
}

#ifndef __SANITIZE_ADDRESS__  // the sanitizer would end the program there and then
TEST_F(FakeCuda, TellsOfBytesWrittenPastTheEnd) {
  {
    const PinnedBuffer buffer(10, "a test");
    buffer.bytes().data()[10] = std::byte{0};
  }
  EXPECT_EQ(fake_cuda::reset(), Lines{"a guard of 10 bytes was overwritten"});
}
#endif

/// Images of one size, which fill a buffer in a known number of bytes.
class FakeCudaInputs : public FakeCuda {
 protected:
  static constexpr int kSide = 20;
  static constexpr std::size_t kImages = 4;
  /// The size of a batch of kImages: the table and the images, each from a multiple of 16.
  static constexpr std::size_t kBytes = kImages * (sizeof(StagedImage) + 3 * kSide * kSide);

  std::vector<Image> images() {
    owned_.clear();
    for (std::size_t i = 0; i < 2 * kImages; ++i) owned_.push_back(random_image(random_, kSide, kSide));
    return views_of(owned_);
  }
  /// Copies and assembles the batch.
  std::vector<float> assembled(CudaInputs& inputs, std::size_t count) {
    while (inputs.copy_some(*copies_)) {
    }
    const CudaBuffer out(batch_elements(format_, count) * sizeof(float), "test");
    const PinnedBuffer back(out.size(), "test");
    inputs.wait_in(*compute_);
    assemble_batch_cuda(inputs.table(), static_cast<int>(count), constants_of(format_),
                        reinterpret_cast<float*>(out.data()), compute_->get());
    copy_to_host(out, back, out.size(), *compute_);
    compute_->synchronize();
    const auto* const values = reinterpret_cast<const float*>(back.bytes().data());
    return {values, values + batch_elements(format_, count)};
  }
  std::vector<float> expected(std::span<const Image> images) const {
    std::vector<float> values(batch_elements(format_, images.size()));
    assemble_batch(images, format_, values);
    return values;
  }

  RandomStream random_{fresh_seed(), "fake inputs"};
  std::vector<OwnedImage> owned_;
  const InputFormat format_{7, 5, {0.4F, 0.5F, 0.6F}, {2, 3, 4}};
  std::optional<CudaStream> copies_;
  std::optional<CudaStream> compute_;

  void SetUp() override {
    FakeCuda::SetUp();
    copies_.emplace();
    compute_.emplace();
  }
  void TearDown() override {
    compute_.reset();
    copies_.reset();
    FakeCuda::TearDown();
  }
};

TEST_F(FakeCudaInputs, ABatchThatFitsTakesTheRoomOfWhatWasPreparedForNothing) {
  CudaInputs inputs;
  inputs.reserve(kBytes);
  const std::vector<Image> given = images();
  for (std::size_t i = 0; i < 2; ++i) inputs.prepare(0, kImages, given[i]);
  const int before = fake_cuda::calls("cudaMalloc");
  const std::span<const Image> batch = std::span(given).subspan(kImages, kImages);
  inputs.begin(0, kImages, batch);
  EXPECT_EQ(fake_cuda::calls("cudaMalloc"), before) << "the batch alone has room";
  EXPECT_EQ(inputs.bytes(), kBytes);
  EXPECT_EQ(assembled(inputs, kImages), expected(batch));
}

// Batches of any size take buffers that were pinned before the load, and no batch holds a larger batch's
// buffer.
TEST_F(FakeCuda, PinnedBuffersAreUsedAgainByBatchesOfTheirSize) {
  PinnedPool pool;
  constexpr std::size_t kImage = 100;
  pool.reserve(kImage, 16 * kImage, "test");
  const int pinned = fake_cuda::calls("cudaHostAlloc");
  for (int round = 0; round < 3; ++round) {
    std::vector<std::shared_ptr<PinnedBuffer>> held;
    for (const std::size_t images : {1, 16, 1, 3, 8, 16}) {
      held.push_back(pool.take(images * kImage, "test"));
      EXPECT_GE(held.back()->bytes().size(), images * kImage);
      EXPECT_LT(held.back()->bytes().size(), 2 * images * kImage);
    }
    EXPECT_EQ(fake_cuda::calls("cudaHostAlloc"), pinned);
  }
  pool.reserve(kImage, 16 * kImage, "test");
  EXPECT_EQ(fake_cuda::calls("cudaHostAlloc"), pinned) << "they are there";
}

TEST_F(FakeCudaInputs, TheRoomNeverShrinks) {
  CudaInputs inputs;
  inputs.reserve(kBytes);
  for (int i = 0; i < 30; ++i) {
    const std::vector<Image> given = images();
    for (std::uint64_t k = random_.below(kImages + 1); k > 0; --k) inputs.prepare(0, kImages, given[k]);
    const std::size_t room = inputs.bytes();
    const std::span<const Image> batch =
        std::span(given).subspan(random_.below(kImages), 1 + random_.below(kImages));
    inputs.begin(0, kImages, batch);
    EXPECT_GE(inputs.bytes(), room);
    EXPECT_EQ(assembled(inputs, batch.size()), expected(batch));
    inputs.clear();
  }
}

TEST_F(FakeCudaInputs, NoBufferGoesWhileItIsCopied) {
  CudaInputs inputs;
  inputs.reserve(kBytes / 2);
  const std::vector<Image> given = images();
  fake_cuda::hold();
  inputs.prepare(0, 2 * kImages, given.back());
  ASSERT_TRUE(inputs.copy_some(*copies_));
  inputs.begin(0, 2 * kImages, std::span(given).first(kImages));  // needs more room
  EXPECT_EQ(assembled(inputs, kImages), expected(std::span(given).first(kImages)));
}

TEST_F(FakeCudaInputs, NoBufferGoesUnderACopyWhoseEndCouldNotBeMarked) {
  CudaInputs inputs;
  const std::vector<Image> given = images();
  inputs.begin(0, 2 * kImages, std::span(given).first(1));
  fake_cuda::hold("cudaMemcpyAsync");
  fake_cuda::fail("cudaEventRecord", cudaErrorInvalidValue);
  EXPECT_THROW(inputs.copy_some(*copies_), DeviceError);
  inputs.clear();
  inputs.begin(0, 2 * kImages, given);  // needs more room
  EXPECT_EQ(assembled(inputs, given.size()), expected(given));
}

TEST_F(FakeCudaInputs, NoPlaceIsWrittenWhileItIsCopied) {
  CudaInputs inputs;
  inputs.reserve(kBytes);
  const std::vector<Image> given = images();
  fake_cuda::hold();
  inputs.prepare(0, kImages, given[0]);
  ASSERT_TRUE(inputs.copy_some(*copies_));
  inputs.clear();  // the batch stopped before it had begun
  const int before = fake_cuda::calls("cudaEventSynchronize");
  inputs.begin(1, kImages, std::span(given).subspan(1, 2));
  EXPECT_EQ(fake_cuda::calls("cudaEventSynchronize"), before + 1);
  EXPECT_EQ(assembled(inputs, 2), expected(std::span(given).subspan(1, 2)));
}

}  // namespace
}  // namespace harness

#include "harness/gpu/cuda/assemble_batch.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "harness/core/input_error.h"
#include "harness/gpu/cuda/cuda_buffer.h"
#include "harness/gpu/cuda/cuda_check.h"
#include "harness/gpu/cuda/cuda_gpus.h"
#include "harness/gpu/cuda/cuda_graph.h"
#include "harness/gpu/cuda/cuda_stream.h"
#include "harness/gpu/cuda/test_assembled.h"
#include "harness/gpu/inputs/assembly_constants.h"
#include "harness/gpu/inputs/input_format.h"
#include "harness/gpu/inputs/test_images.h"

namespace harness {
namespace {

class AssembleBatchCuda : public testing::Test {
 protected:
  void SetUp() override {
    const std::string why = why_no_cuda_device();
    if (!why.empty()) GTEST_SKIP() << "no GPU: " << why;
  }
};

/// The way of a batch over the device: staged, copied, assembled, copied back.
class DeviceBatch {
 public:
  DeviceBatch(std::size_t staged_bytes, std::size_t floats)
      : host_in_(staged_bytes, "test"),
        device_in_(staged_bytes, "test"),
        device_out_(floats * sizeof(float), "test"),
        host_out_(floats * sizeof(float), "test") {}

  void stage(const std::vector<Image>& images) {
    harness::stage(layout_of(images), host_in_.bytes(), device_in_.data());
    std::memset(host_out_.bytes().data(), 0xFF, host_out_.bytes().size());  // NaN
  }
  void enqueue(const CudaStream& stream, int count, const InputFormat& format) {
    copy_part_to_device(host_in_, device_in_, 0, device_in_.size(), stream);
    assemble_batch_cuda(reinterpret_cast<const StagedImage*>(device_in_.data()), count, constants_of(format),
                        reinterpret_cast<float*>(device_out_.data()), stream.get());
    copy_to_host(device_out_, host_out_, host_out_.bytes().size(), stream);
  }
  void expect_as_cpu(const std::vector<Image>& images, const InputFormat& format) const {
    expect_assembled(reinterpret_cast<const float*>(host_out_.bytes().data()), images, format);
  }

 private:
  PinnedBuffer host_in_;
  CudaBuffer device_in_;
  CudaBuffer device_out_;
  PinnedBuffer host_out_;
};

TEST_F(AssembleBatchCuda, GivesTheValuesOfTheCpuVersion) {
  const std::uint64_t seed = fresh_seed();
  SCOPED_TRACE(seed_text(seed));
  RandomStream random(seed, "cuda");
  CudaStream stream;
  for (int i = 0; i < 50; ++i) {
    const InputFormat format = random_format(random, 9);
    const int count = 1 + static_cast<int>(random.below(40));
    const std::vector<OwnedImage> images = random_images(random, count, 9);
    const std::vector<Image> views = views_of(images);
    DeviceBatch batch(layout_of(views).size(), batch_elements(format, views.size()));
    batch.stage(views);
    batch.enqueue(stream, count, format);
    stream.synchronize();
    batch.expect_as_cpu(views, format);
    if (HasFatalFailure()) return;
  }
}

TEST_F(AssembleBatchCuda, ServesOtherSizesFromOneGraph) {
  const std::uint64_t seed = fresh_seed();
  SCOPED_TRACE(seed_text(seed));
  RandomStream random(seed, "graph");
  const InputFormat format{60, 50, {0.5F, 0.5F, 0.5F}, {2, 2, 2}};
  constexpr std::size_t kStaged = 4 * (16 + 3 * 64 * 64);
  CudaStream stream;
  DeviceBatch batch(kStaged, batch_elements(format, 4));
  const CudaGraph graph(stream, [&] { batch.enqueue(stream, 4, format); });
  for (int i = 0; i < 5; ++i) {
    const std::vector<OwnedImage> images = random_images(random, 4, 6);
    batch.stage(views_of(images));
    graph.launch(stream);
    stream.synchronize();
    batch.expect_as_cpu(views_of(images), format);
  }
}

TEST_F(AssembleBatchCuda, FollowsEventsAcrossStreams) {
  CudaStream first;
  CudaStream second;
  CudaEvent start(CudaEvent::Timing::kOn);
  CudaEvent end(CudaEvent::Timing::kOn);
  start.record(first);
  second.wait_for(start);
  end.record(second);
  second.synchronize();
  EXPECT_TRUE(start.passed());
  EXPECT_TRUE(end.passed());
  EXPECT_GE(end.ms_since(start), 0.0F);
}

TEST_F(AssembleBatchCuda, NamesWhatItCouldNotReserve) {
  try {
    const CudaBuffer buffer(std::size_t{1} << 50, "a test");
    ADD_FAILURE() << "a petabyte was reserved";
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.fault(), DeviceFault::kOutOfMemory);
    const std::string line = error.what();
    EXPECT_NE(line.find("cuda:0"), std::string::npos) << line;
    EXPECT_NE(line.find("cudaMalloc"), std::string::npos) << line;
    EXPECT_NE(line.find("reserving 1125899906842624 bytes for a test"), std::string::npos) << line;
  }
  CudaStream stream;  // the device goes on
  stream.synchronize();
}

TEST_F(AssembleBatchCuda, DropsAGraphWhoseRecordingFails) {
  CudaStream stream;
  EXPECT_THROW(CudaGraph(stream, [] { throw InputError("stop"); }), InputError);
  EXPECT_THROW(CudaGraph(stream, [&] { stream.synchronize(); }), DeviceError);
  stream.synchronize();
}

TEST(CudaCheck, NamesCallErrorAndAttempt) {
  EXPECT_NO_THROW(cuda_check(cudaSuccess, "cudaMalloc", "reserving"));
  try {
    cuda_check(cudaErrorMemoryAllocation, "cudaMalloc", "reserving 5 bytes for inputs");
    ADD_FAILURE() << "passed";
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.fault(), DeviceFault::kOutOfMemory);
    const std::string line = error.what();
    EXPECT_NE(
        line.find("cudaMalloc: cudaErrorMemoryAllocation (out of memory) when reserving 5 bytes for inputs"),
        std::string::npos)
        << line;
    EXPECT_NE(line.find("cuda"), std::string::npos) << line;
  }
}

TEST(CudaCheck, TellsALostDeviceFromAFailedCall) {
  EXPECT_EQ(fault_of(cudaErrorIllegalAddress), DeviceFault::kDeviceLost);
  EXPECT_EQ(fault_of(cudaErrorECCUncorrectable), DeviceFault::kDeviceLost);
  for (const cudaError_t ends_the_process :  // by the runtime's manual
       {cudaErrorTensorMemoryLeak, cudaErrorExternalDevice, cudaErrorMpsClientTerminated})
    EXPECT_EQ(fault_of(ends_the_process), DeviceFault::kDeviceLost) << cudaGetErrorName(ends_the_process);
  EXPECT_EQ(fault_of(cudaErrorInvalidValue), DeviceFault::kComputeFailed);
  EXPECT_EQ(fault_of(cudaErrorStreamCaptureUnsupported), DeviceFault::kComputeFailed);
}

}  // namespace
}  // namespace harness

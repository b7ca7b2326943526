// Tests of NCCL that one GPU can run: a worker sends to itself. Without a GPU only the errors are tested.
#include "harness/gpu/nccl/nccl_lane.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "harness/core/random_stream.h"
#include "harness/gpu/cuda/cuda_gpus.h"
#include "harness/gpu/device/device_error.h"
#include "harness/gpu/nccl/device_tensor_memory.h"

namespace harness {
namespace {

std::vector<std::byte> random_bytes(std::size_t size) {
  RandomStream random(5, "nccl");
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.below(256));
  return bytes;
}

/// Repeats `done` until it is true, for at most 20 s.
template <class Done>
bool wait_for(Done done) {
  for (int turn = 0; turn < 20'000; ++turn) {
    if (done()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

std::vector<LaneEnd> wait_for_ends(NcclLane& lane, std::size_t count) {
  std::vector<LaneEnd> ended;
  EXPECT_TRUE(wait_for([&] {
    lane.take(ended);
    return ended.size() >= count;
  }));
  return ended;
}

TEST(NcclLane, SaysWhichDeviceCannotBeUsed) {
  try {
    NcclLane lane(1000, 3, {});
    FAIL() << "there is no device 1000";
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("device 1000 for worker 3"), std::string::npos) << error.what();
  }
}

TEST(DeviceTensorMemory, CopiesThereAndBack) {
  if (const std::string why = why_no_cuda_device(); !why.empty()) GTEST_SKIP() << why;
  DeviceTensorMemory memory(0);
  const std::vector<std::byte> bytes = random_bytes(1'000'003);
  const StoredTensor tensor = memory.allocate(bytes.size());
  ASSERT_NE(tensor.owner, nullptr);
  memory.copy_from_host(bytes, tensor);
  std::vector<std::byte> back(bytes.size());
  memory.copy_to_host(tensor, back);
  EXPECT_EQ(back, bytes);
  EXPECT_EQ(memory.allocate(std::size_t{1} << 50).owner, nullptr);
}

TEST(NcclCommunicator, AWorkerSendsToItself) {
  if (const std::string why = why_no_cuda_device(); !why.empty()) GTEST_SKIP() << why;
  DeviceTensorMemory memory(0);
  NcclCommunicator communicator(NcclCommunicator::make_id(), {7}, 7, 0);
  const auto is_ready = [&] { return communicator.state() == NcclCommunicator::State::kReady; };
  ASSERT_TRUE(wait_for(is_ready)) << communicator.failure();

  const std::vector<std::byte> bytes = random_bytes(3'000'001);
  const StoredTensor from = memory.allocate(bytes.size());
  const StoredTensor to = memory.allocate(bytes.size());
  memory.copy_from_host(bytes, from);
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(stream, memory.allocated()->get(), 0), cudaSuccess);
  communicator.begin_group();
  communicator.send(from.span(), 7, stream);
  communicator.receive(to.span(), 7, stream);
  communicator.end_group();
  ASSERT_TRUE(wait_for(is_ready)) << communicator.failure();
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  std::vector<std::byte> back(bytes.size());
  memory.copy_to_host(to, back);
  EXPECT_EQ(back, bytes);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  communicator.abort();
  EXPECT_EQ(communicator.state(), NcclCommunicator::State::kBroken);
}

TEST(NcclLane, OperationsFailOnChannelsThatAreNotOpen) {
  if (const std::string why = why_no_cuda_device(); !why.empty()) GTEST_SKIP() << why;
  DeviceTensorMemory memory(0);
  NcclLane lane(0, 7, {}, memory.allocated());
  lane.open(1, NcclCommunicator::make_id(), {7});
  std::vector<std::pair<ChannelId, std::string>> opened;
  ASSERT_TRUE(wait_for([&] {
    opened = lane.opened();
    return !opened.empty();
  }));
  ASSERT_EQ(opened, (std::vector<std::pair<ChannelId, std::string>>{{1, ""}}));

  const StoredTensor tensor = memory.allocate(100'000);
  lane.abort(1);
  lane.send(4, 1, 7, tensor.span());
  lane.send(5, 2, 8, tensor.span());
  const std::vector<LaneEnd> failed = wait_for_ends(lane, 2);
  ASSERT_EQ(failed.size(), 2U);
  EXPECT_NE(failed[0].failure.find("channel 1 "), std::string::npos) << failed[0].failure;
  EXPECT_NE(failed[1].failure.find("device cuda:0: channel 2 is not open"), std::string::npos)
      << failed[1].failure;
}

}  // namespace
}  // namespace harness

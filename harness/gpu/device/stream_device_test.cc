#include "harness/gpu/device/stream_device.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

#include "harness/core/input_error.h"
#include "harness/gpu/device/test_stepped_engine.h"
#include "harness/gpu/profiling/device_wait.h"

namespace harness {
namespace {

class StreamDeviceTest : public testing::Test {
 protected:
  DeviceModel load(int exit_points) {
    ModelSource source;
    source.model = "m";
    source.max_batch = 8;
    source.exit_points = exit_points;
    return device_->load(source);
  }
  void submit(std::uint64_t tag, DeviceModel model, std::size_t images = 1) {
    device_->submit(tag, model, std::span(images_).first(images));
  }
  /// Returns the next end; take() may give two at a time.
  BatchEnd next_end() {
    while (ended_.empty()) {
      if (!device_->take(ended_)) wait_.wait_for_device(wait_.now_ns() + 60 * kNsPerS);
    }
    const BatchEnd end = ended_.front();
    ended_.erase(ended_.begin());
    return end;
  }
  static void let_the_thread_look() { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }
  bool was_asked(const std::string& line) const {
    const std::vector<std::string> log = gpu_->log();
    return std::find(log.begin(), log.end(), line) != log.end();
  }
  long times_asked(const std::string& line) const {
    const std::vector<std::string> log = gpu_->log();
    return std::count(log.begin(), log.end(), line);
  }

  std::array<std::uint8_t, 12> bytes_ = {};
  const std::vector<Image> images_ = std::vector<Image>(8, Image{bytes_, 2, 2});
  std::vector<BatchEnd> ended_;  ///< ends that were taken and not looked at
  SteadyWait wait_;
  std::shared_ptr<SteppedGpu> gpu_ = std::make_shared<SteppedGpu>();
  std::unique_ptr<StreamDevice> device_ = std::make_unique<StreamDevice>(
      "gpu 7", [this] { return std::make_unique<SteppedEngine>(gpu_); }, wait_.wake());
};

TEST_F(StreamDeviceTest, CopiesTheNextBatchAndHandsItOverWhileOneRuns) {
  const DeviceModel model = load(0);
  submit(1, model, 3);
  gpu_->wait_for({"begin 1", "copy 1", "copy 1", "copy 1", "run 1 0"});
  submit(2, model, 2);
  gpu_->wait_for({"run 1 0", "begin 0", "copy 0", "copy 0", "run 0 0"});
  std::vector<BatchEnd> ended;
  EXPECT_FALSE(device_->take(ended)) << "the device has not finished the first";
  gpu_->let_pass(1);
  EXPECT_EQ(next_end().tag, 1U);
  EXPECT_FALSE(device_->take(ended));
  gpu_->let_pass(1);
  EXPECT_EQ(next_end().tag, 2U);
  EXPECT_EQ(device_->host_work().batches, 2U);
  EXPECT_GT(device_->host_work().handling_ns, 0);
  EXPECT_EQ(device_->notes(), std::vector<std::string>{"a note"});
}

TEST_F(StreamDeviceTest, KeepsTwoSegmentsAhead) {
  const DeviceModel model = load(3);
  submit(1, model);
  gpu_->wait_for({"run 1 0", "run 1 1"});
  let_the_thread_look();
  EXPECT_FALSE(was_asked("run 1 2"));
  gpu_->let_pass(1);
  gpu_->wait_for({"run 1 2"});
  let_the_thread_look();
  EXPECT_FALSE(was_asked("run 1 3"));
  gpu_->let_pass(3);
  const BatchEnd end = next_end();
  EXPECT_FALSE(end.preempted);
  EXPECT_TRUE(was_asked("hand out 1"));
}

TEST_F(StreamDeviceTest, StopsAtTheNextExitPointThatIsNotEnqueued) {
  const DeviceModel model = load(3);
  submit(1, model);
  gpu_->wait_for({"run 1 0", "run 1 1"});
  device_->preempt(1);
  gpu_->let_pass(2);
  const BatchEnd end = next_end();
  EXPECT_TRUE(end.preempted);
  EXPECT_EQ(end.failure, "");
  EXPECT_FALSE(was_asked("run 1 2"));
  EXPECT_FALSE(was_asked("hand out 1"));
}

TEST_F(StreamDeviceTest, APreemptedBatchThatWaitsNeverRuns) {
  const DeviceModel model = load(3);
  submit(1, model);
  gpu_->wait_for({"run 1 1"});
  submit(2, model);
  gpu_->wait_for({"copy 0"});
  device_->preempt(2);
  gpu_->let_pass(4);
  EXPECT_FALSE(next_end().preempted);
  const BatchEnd second = next_end();
  EXPECT_TRUE(second.preempted);
  EXPECT_EQ(second.started_ns, second.ended_ns);
  EXPECT_FALSE(was_asked("run 0 0"));
}

TEST_F(StreamDeviceTest, PreparesInTheSlotOfTheNextBatch) {
  const DeviceModel model = load(0);
  submit(1, model, 1);
  gpu_->wait_for({"run 1 0"});
  device_->prepare(model, images_[0]);
  device_->prepare(model, images_[1]);
  gpu_->wait_for({"prepare 0", "prepare 0"});
  gpu_->wait_for({"copy 0", "copy 0"});
  submit(2, model, 2);
  gpu_->wait_for({"begin 0", "run 0 0"});
  EXPECT_EQ(times_asked("copy 0"), 2) << "each image once";
  gpu_->let_pass(2);
  next_end();
  next_end();
  EXPECT_EQ(times_asked("release 0"), 1);
}

TEST_F(StreamDeviceTest, PreparesNothingWhereNoSlotIsFree) {
  const DeviceModel model = load(0);
  submit(1, model);
  submit(2, model);
  device_->prepare(model, images_[0]);
  device_->prepare(model + 1, images_[0]);
  gpu_->let_pass(2);
  gpu_->wait_for({"release 1", "release 0"});
  EXPECT_EQ(times_asked("prepare 0") + times_asked("prepare 1"), 0);
}

TEST_F(StreamDeviceTest, EndsABatchThatFailsWhenItsSegmentsHavePassed) {
  const DeviceModel model = load(3);
  gpu_->fail_by([](const std::string& line) {
    if (line == "run 1 1") throw DeviceError(DeviceFault::kOutOfMemory, {"gpu 7", "", 0}, "no room");
  });
  submit(1, model, 2);
  gpu_->wait_for({"run 1 1"});
  submit(2, model);
  gpu_->wait_for({"run 0 0"});
  std::vector<BatchEnd> ended;
  let_the_thread_look();
  EXPECT_FALSE(device_->take(ended)) << "its first segment still runs";
  gpu_->let_pass(1);
  const BatchEnd end = next_end();
  EXPECT_EQ(end.fault, DeviceFault::kOutOfMemory);
  EXPECT_EQ(end.failure, "device gpu 7: model m, batch 2: out of memory: no room");
  gpu_->let_pass(8);
  EXPECT_EQ(next_end().failure, "");
}

TEST_F(StreamDeviceTest, FailsAllWhenTheDeviceIsLost) {
  const DeviceModel model = load(0);
  submit(1, model, 2);
  submit(2, model, 3);
  gpu_->wait_for({"run 1 0", "run 0 0"});
  gpu_->fail_by([](const std::string& line) {
    if (line == "look 1") throw DeviceError(DeviceFault::kDeviceLost, {"gpu 7", "", 0}, "xid 79");
  });
  EXPECT_EQ(next_end().failure, "device gpu 7: model m, batch 2: device lost: xid 79");
  EXPECT_EQ(next_end().failure, "device gpu 7: model m, batch 3: device lost");
  EXPECT_THROW(submit(3, model), DeviceError);
  EXPECT_THROW(load(0), DeviceError);
}

TEST_F(StreamDeviceTest, APreparationThatFailsIsLeftToItsBatch) {
  const DeviceModel model = load(0);
  gpu_->fail_by([](const std::string& line) {
    if (line == "prepare 1") throw std::bad_alloc();
  });
  device_->prepare(model, images_[0]);
  gpu_->wait_for({"prepare 1"});
  gpu_->fail_by(nullptr);
  gpu_->let_pass(1);
  submit(1, model);
  EXPECT_EQ(next_end().failure, "");
}

TEST_F(StreamDeviceTest, APreparedImageWhoseCopyFailsIsCopiedAgain) {
  const DeviceModel model = load(0);
  gpu_->fail_by([](const std::string& line) {
    if (line == "copy 1") throw DeviceError(DeviceFault::kComputeFailed, {"gpu 7", "", 0}, "a copy");
  });
  device_->prepare(model, images_[0]);
  gpu_->wait_for({"prepare 1", "copy 1", "release 1"});
  gpu_->fail_by(nullptr);
  gpu_->let_pass(1);
  submit(1, model);
  EXPECT_EQ(next_end().failure, "");
  EXPECT_EQ(times_asked("copy 1"), 2) << "or the batch would have run on what was there before";
}

TEST_F(StreamDeviceTest, LoadsWhenNothingIsOutstanding) {
  const DeviceModel model = load(0);
  submit(1, model);
  gpu_->wait_for({"run 1 0"});
  std::thread passer([this] {
    let_the_thread_look();
    EXPECT_EQ(times_asked("load m"), 1);
    gpu_->let_pass(1);
  });
  load(2);
  passer.join();
  EXPECT_EQ(device_->exit_points(1), 2);
  gpu_->wait_for({"release 1", "load m"});
}

TEST(StreamDevice, ThrowsWhatItsEngineThrowsWhenMade) {
  const auto make = []() -> std::unique_ptr<StreamEngine> { throw InputError("no such GPU"); };
  EXPECT_THROW(StreamDevice("gpu", make, nullptr), InputError);
}

TEST_F(StreamDeviceTest, DestroysItsEngineOnTheWayOut) {
  const DeviceModel model = load(3);
  submit(1, model);
  gpu_->wait_for({"run 1 1"});
  device_.reset();
  EXPECT_EQ(gpu_->log().back(), "gone");
  EXPECT_FALSE(was_asked("run 1 2"));
}

}  // namespace
}  // namespace harness

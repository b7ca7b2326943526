// Every kind of device keeps the contract of device.h. Compiled once for each program of tested_kinds().
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <span>
#include <thread>

#include "harness/core/random_stream.h"
#include "harness/gpu/device/test_device_kinds.h"
#include "harness/machine/steady_clock.h"

namespace harness {
namespace {

constexpr int kSide = 8;
constexpr int kMaxImages = 4;

/// An event loop with one device: it sleeps until woken, as the live runtime does.
class DeviceConformance : public testing::TestWithParam<TestedKind> {
 protected:
  void SetUp() override {
    if (!GetParam().missing.empty()) GTEST_SKIP() << GetParam().missing;
    device_ = GetParam().make(gate_, [this] { wake(); });
  }
  void TearDown() override { gate_->open(); }

  DeviceModel load(const std::string& model, int exit_points = 0) {
    ModelSource source;
    source.model = model;
    source.max_batch = kMaxImages;
    source.exit_points = exit_points;
    return device_->load(source);
  }
  void submit(std::uint64_t tag, DeviceModel model, int batch = 1) {
    const Image image{bytes_, kSide, kSide};
    const std::vector<Image> images(static_cast<std::size_t>(batch), image);
    device_->submit(tag, model, images);
  }
  /// Sleeps until `count` ends have come in all.
  const std::vector<BatchEnd>& collect(std::size_t count) {
    while (true) {
      device_->take(ends_);
      if (ends_.size() >= count) return ends_;
      std::unique_lock lock(mutex_);
      if (!changed_.wait_for(lock, std::chrono::seconds(60), [this] { return woken_; }))
        throw std::runtime_error("nobody woke the event loop");
      woken_ = false;
    }
  }
  void wake() {
    const std::lock_guard lock(mutex_);
    woken_ = true;
    changed_.notify_one();
  }
  bool computes() const { return GetParam().computes; }

  std::array<std::uint8_t, 3UL * kSide* kSide> bytes_ = {};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = false;
  std::vector<BatchEnd> ends_;
  std::shared_ptr<StageGate> gate_ = std::make_shared<StageGate>();
  std::unique_ptr<Device> device_;
};

void expect_well(const BatchEnd& end, std::uint64_t tag) {
  EXPECT_EQ(end.tag, tag);
  EXPECT_FALSE(end.preempted);
  EXPECT_EQ(end.failure, "");
  EXPECT_EQ(end.fault, DeviceFault::kNoFault);
}

void expect_failed(const BatchEnd& end, DeviceFault fault, const std::string& model, int batch) {
  EXPECT_EQ(end.fault, fault);
  EXPECT_FALSE(end.preempted);
  const std::string begin = "device kind 7: model " + model + ", batch " + std::to_string(batch) + ": ";
  EXPECT_EQ(end.failure.substr(0, begin.size()), begin);
  EXPECT_EQ(end.failure.find('\n'), std::string::npos);
}

TEST_P(DeviceConformance, EveryBatchEndsOnceInOrderOfSubmission) {
  const std::array<DeviceModel, 2> models = {load("small"), load("other", kAllExitPoints)};
  RandomStream random(11, "conformance", 0);
  constexpr std::uint64_t kBatches = 300;
  std::vector<TimeNs> submitted_ns;
  for (std::uint64_t tag = 0; tag < kBatches; ++tag) {
    if (tag >= Device::kMaxOutstanding) collect(tag + 1 - Device::kMaxOutstanding);
    submitted_ns.push_back(steady_ns());
    const auto batch = 1 + static_cast<int>(random.uniform() * kMaxImages);
    submit(tag, models[random.uniform() < 0.5 ? 0 : 1], batch);
  }
  collect(kBatches);
  const TimeNs end_ns = steady_ns();
  ASSERT_EQ(ends_.size(), kBatches);
  TimeNs free_ns = 0;
  for (std::uint64_t tag = 0; tag < kBatches; ++tag) {
    const BatchEnd& end = ends_[tag];
    expect_well(end, tag);
    EXPECT_GE(end.started_ns, submitted_ns[tag]);
    EXPECT_GE(end.started_ns, free_ns);
    EXPECT_GE(end.ended_ns, end.started_ns);
    EXPECT_LE(end.ended_ns, end_ns);
    free_ns = end.ended_ns;
  }
  EXPECT_FALSE(device_->take(ends_));
}

TEST_P(DeviceConformance, NothingWaitsForARunningBatch) {
  if (!computes()) GTEST_SKIP() << "ends its batches at once";
  const DeviceModel gated = load("gated");
  gate_->close();
  submit(1, gated);
  gate_->wait_for(1);
  // Only this thread lets the batch go on, so each of these calls would hang if it waited.
  EXPECT_FALSE(device_->take(ends_));
  submit(2, gated);
  device_->preempt(2);
  EXPECT_FALSE(device_->take(ends_));
  EXPECT_EQ(device_->memory().model_bytes.size(), 1U);
  gate_->open();
  collect(2);
  expect_well(ends_[0], 1);
}

TEST_P(DeviceConformance, PreemptedBeforeItsStartABatchDoesNotRun) {
  if (!computes()) GTEST_SKIP() << "ends its batches at once";
  const DeviceModel gated = load("gated");
  gate_->close();
  submit(1, gated);
  gate_->wait_for(1);
  submit(2, gated);
  device_->preempt(2);
  gate_->open();
  collect(2);
  expect_well(ends_[0], 1);
  EXPECT_EQ(ends_[1].tag, 2U);
  EXPECT_TRUE(ends_[1].preempted);
  EXPECT_EQ(ends_[1].failure, "");
  EXPECT_EQ(gate_->entered(), kTestStages);
  submit(3, gated);
  expect_well(collect(3)[2], 3);
}

struct PreemptCase {
  int exit_points;
  int running;   ///< number of the stage, from 1, that runs when the batch is preempted
  int last_run;  ///< number of the last stage that runs
};

TEST_P(DeviceConformance, ABatchStopsAtItsNextExitPoint) {
  if (!computes()) GTEST_SKIP() << "ends its batches at once";
  // There are four stages: three exit points lie between all of them, a single one after the second.
  const std::vector<PreemptCase> cases = {{3, 1, 1}, {3, 2, 2}, {3, 3, 3}, {3, 4, 4}, {1, 1, 2},
                                          {1, 2, 2}, {1, 3, 4}, {0, 1, 4}, {0, 3, 4}};
  std::uint64_t tag = 0;
  for (const PreemptCase& one : cases) {
    SCOPED_TRACE(testing::Message() << one.exit_points << " exit points, in stage " << one.running);
    gate_->open();
    const DeviceModel gated = load("gated", one.exit_points);
    EXPECT_EQ(device_->exit_points(gated), one.exit_points);
    gate_->close();
    gate_->allow(one.running - 1);
    submit(tag, gated);
    gate_->wait_for(one.running);
    device_->preempt(tag);
    gate_->open();
    const BatchEnd end = collect(tag + 1)[tag];
    EXPECT_EQ(end.tag, tag);
    EXPECT_EQ(end.failure, "");
    EXPECT_EQ(end.preempted, one.last_run < kTestStages);
    EXPECT_EQ(gate_->entered(), one.last_run);
    ++tag;
  }
}

TEST_P(DeviceConformance, PreemptingWhatHasEndedOrNeverWasDoesNothing) {
  const DeviceModel model = load("small", kAllExitPoints);
  submit(1, model);
  collect(1);
  device_->preempt(1);
  device_->preempt(77);
  submit(1, model);
  submit(2, model);
  collect(3);
  expect_well(ends_[0], 1);
  expect_well(ends_[1], 1);
  expect_well(ends_[2], 2);
  EXPECT_FALSE(device_->take(ends_));
}

TEST_P(DeviceConformance, WhatCannotRunIsRefusedWithModelBatchAndDevice) {
  const DeviceModel model = load("small");
  const Image whole{bytes_, kSide, kSide};
  const Image cut{std::span(bytes_).first(100), kSide, kSide};
  const Image flat{{}, 0, kSide};
  struct Case {
    DeviceModel model;
    std::vector<Image> images;
    DeviceFault fault;
    std::string says;
  };
  const std::vector<Case> cases = {
      {model + 1, {whole}, DeviceFault::kMissingModel, "model number 1, batch 1: missing model: 1 loaded"},
      {model, {}, DeviceFault::kWrongShape, "model small: wrong shape: no images"},
      {model, std::vector<Image>(5, whole), DeviceFault::kWrongShape, "model small, batch 5: wrong shape"},
      {model, {whole, cut}, DeviceFault::kWrongShape, "batch 2: wrong shape: image 1 is 8 x 8 in 100 bytes"},
      {model, {flat}, DeviceFault::kWrongShape, "batch 1: wrong shape: image 0 is 0 x 8 in 0 bytes"},
  };
  for (const Case& one : cases) {
    try {
      device_->submit(5, one.model, one.images);
      ADD_FAILURE() << one.says;
    } catch (const DeviceError& error) {
      EXPECT_EQ(error.fault(), one.fault);
      const std::string text = error.what();
      EXPECT_EQ(text.substr(0, 15), "device kind 7: ");
      EXPECT_NE(text.find(one.says), std::string::npos) << text;
    }
  }
  submit(5, model);
  submit(6, model);
  collect(2);
  expect_well(ends_[0], 5);
  expect_well(ends_[1], 6);
}

TEST_P(DeviceConformance, AModelThatDoesNotLoadLeavesTheOthers) {
  const DeviceModel model = load("small");
  const auto fault_of = [&](const ModelSource& source) {
    try {
      device_->load(source);
    } catch (const DeviceError& error) {
      EXPECT_EQ(std::string(error.what()).substr(0, 21), "device kind 7: model ") << error.what();
      return error.fault();
    }
    return DeviceFault::kNoFault;
  };
  ModelSource source;
  source.model = "other";
  source.max_batch = 0;
  EXPECT_EQ(fault_of(source), DeviceFault::kWrongShape);
  source.max_batch = 2;
  for (const std::vector<int>& batches : {std::vector<int>{0}, {3}, {2, 1}, {1, 1}}) {
    source.batches = batches;
    EXPECT_EQ(fault_of(source), DeviceFault::kWrongShape) << testing::PrintToString(batches);
  }
  source.batches = {1, 2};
  source.exit_points = -2;
  EXPECT_EQ(fault_of(source), DeviceFault::kWrongShape);
  source.exit_points = 0;
  source.input_width = 8;
  EXPECT_EQ(fault_of(source), DeviceFault::kWrongShape);
  if (computes()) {
    source.input_width = 0;
    source.exit_points = kTestStages;
    EXPECT_EQ(fault_of(source), DeviceFault::kWrongShape);
    source.exit_points = 0;
    source.model = "absent";
    EXPECT_EQ(fault_of(source), DeviceFault::kMissingModel);
  }
  EXPECT_EQ(device_->memory().model_bytes.size(), 1U);
  EXPECT_EQ(load("other"), model + 1);
  submit(1, model);
  submit(2, model + 1);
  collect(2);
  expect_well(ends_[0], 1);
  expect_well(ends_[1], 2);
}

TEST_P(DeviceConformance, ABatchThatFailsLeavesTheOthers) {
  if (!computes()) GTEST_SKIP() << "computes nothing that could fail";
  const DeviceModel failing = load("failing");
  const DeviceModel hungry = load("hungry");
  const DeviceModel small = load("small");
  submit(1, failing, 3);
  submit(2, small, 4);
  collect(2);
  submit(3, hungry, 2);
  submit(4, failing, 1);
  collect(4);
  expect_failed(ends_[0], DeviceFault::kComputeFailed, "failing", 3);
  EXPECT_NE(ends_[0].failure.find("numbers ran out"), std::string::npos) << ends_[0].failure;
  expect_well(ends_[1], 2);
  expect_failed(ends_[2], DeviceFault::kOutOfMemory, "hungry", 2);
  expect_well(ends_[3], 4);
}

TEST_P(DeviceConformance, ALostDeviceFailsWhatIsOutstandingAndTakesNoMore) {
  if (!computes()) GTEST_SKIP() << "cannot be lost";
  const DeviceModel breaking = load("breaking");
  const DeviceModel small = load("small");
  gate_->close();
  submit(1, breaking, 2);
  submit(2, small, 3);
  gate_->open();
  collect(2);
  expect_failed(ends_[0], DeviceFault::kDeviceLost, "breaking", 2);
  expect_failed(ends_[1], DeviceFault::kDeviceLost, "small", 3);
  EXPECT_THROW(submit(4, small), DeviceError);
  EXPECT_THROW(load("other"), DeviceError);
}

TEST_P(DeviceConformance, GoesAwayWithBatchesOutstanding) {
  const DeviceModel gated = load("gated", kAllExitPoints);
  gate_->close();
  submit(1, gated);
  submit(2, gated);
  if (computes()) gate_->wait_for(1);
  std::thread opener([this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    gate_->open();
  });
  device_.reset();
  opener.join();
  woken_ = false;  // without a lock: nothing runs any more that could wake this thread
  const int entered = gate_->entered();
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(gate_->entered(), entered);
  EXPECT_LE(entered, kTestStages) << "the second batch was dropped";
  EXPECT_FALSE(woken_);
}

INSTANTIATE_TEST_SUITE_P(Kinds, DeviceConformance, testing::ValuesIn(tested_kinds()),
                         [](const testing::TestParamInfo<TestedKind>& kind) { return kind.param.name; });

}  // namespace
}  // namespace harness

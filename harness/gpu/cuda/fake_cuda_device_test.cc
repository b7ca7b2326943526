// A StreamDevice over a CudaEngine on the fake runtime. Tests the contract of devices
// (device_conformance_test.cc), the values that batches compute, and that every error of every call ends each
// batch once and leaves nothing behind.
#include <gtest/gtest.h>

#include <condition_variable>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/gpu/cuda/cuda_check.h"
#include "harness/gpu/cuda/cuda_engine.h"
#include "harness/gpu/cuda/cuda_graph.h"
#include "harness/gpu/cuda/cuda_model.h"
#include "harness/gpu/cuda/test_fake_cuda.h"
#include "harness/gpu/device/stream_device.h"
#include "harness/gpu/device/test_device_kinds.h"
#include "harness/gpu/inputs/assembler.h"
#include "harness/gpu/inputs/test_images.h"

namespace harness {
namespace {

const InputFormat kFormat{5, 6, {0.4F, 0.5F, 0.6F}, {2, 3, 4}};

/// A model that doubles its input, and adds its number in each segment after the first. Segments are graphs,
/// except in models with a gate, whose stages run on the host when they are enqueued.
class FakeModel final : public CudaModel {
 public:
  FakeModel(const ModelSource& source, DevicePlace place, CudaStream& stream, std::shared_ptr<StageGate> gate)
      : place_(std::move(place)),
        stream_(stream),
        gate_(std::move(gate)),
        max_batch_(static_cast<std::size_t>(source.max_batch)),
        output_bytes_(source.output_bytes),
        segments_(1 + (source.exit_points == kAllExitPoints ? kTestStages - 1 : source.exit_points)),
        input_(batch_elements(kFormat, max_batch_) * sizeof(float), "the batch of a model"),
        values_(input_.size(), "what a model computes") {
    if (source.model == "absent") throw DeviceError(DeviceFault::kMissingModel, place_, "");
    if (segments_ > kTestStages) throw DeviceError(DeviceFault::kWrongShape, place_, "it has 3 exit points");
    if (gate_) return;
    for (std::size_t batch = 1; batch <= max_batch_; ++batch) {
      for (int segment = 0; segment < segments_; ++segment)
        graphs_.emplace_back(stream_, [&] { compute(batch, segment); });
    }
    stream_.synchronize();
  }

  const InputFormat& format() const override { return kFormat; }
  std::size_t max_batch() const override { return max_batch_; }
  int segments() const override { return segments_; }
  float* input() const override { return reinterpret_cast<float*>(input_.data()); }
  std::size_t input_bytes() const override { return input_.size(); }
  std::uint64_t weight_bytes() const override { return 1; }
  const std::vector<std::string>& notes() const override { return notes_; }
  void enqueue(std::size_t batch, int segment) override {
    const auto images = static_cast<int>(batch);
    output_ = {reinterpret_cast<const float*>(values_.data()), batch_elements(kFormat, batch)};
    if (output_bytes_ > 0) output_.payload = reinterpret_cast<const std::uint8_t*>(values_.data());
    output_.payload_bytes = batch * output_bytes_;
    if (!gate_)
      return graphs_[(batch - 1) * static_cast<std::size_t>(segments_) + static_cast<std::size_t>(segment)]
          .launch(stream_);
    DevicePlace here = place_;
    here.batch = images;
    for (int stage = 0; stage < kTestStages; ++stage)
      if (stage * segments_ / kTestStages == segment) run_test_stage(here, stage, images, *gate_);
    compute(batch, segment);
  }
  const CudaModel::Output& output() const override { return output_; }

  /// Returns the values that a batch gives.
  static std::vector<float> expected(std::span<const Image> images, int segments) {
    std::vector<float> values(batch_elements(kFormat, images.size()));
    assemble_batch(images, kFormat, values);
    for (float& value : values) {
      value *= 2;
      for (int segment = 1; segment < segments; ++segment) value += static_cast<float>(segment);
    }
    return values;
  }

 private:
  void compute(std::size_t batch, int segment) {
    const float* const from = segment == 0 ? input() : reinterpret_cast<float*>(values_.data());
    auto* const to = reinterpret_cast<float*>(values_.data());
    const std::size_t count = batch_elements(kFormat, batch);
    const auto run = [=] {
      const std::size_t bytes = count * sizeof(float);
      if (!fake_cuda::is_usable(from, bytes) || !fake_cuda::is_usable(to, bytes))
        return cudaErrorIllegalAddress;
      for (std::size_t i = 0; i < count; ++i)
        to[i] = segment == 0 ? 2 * from[i] : from[i] + static_cast<float>(segment);
      return cudaSuccess;
    };
    cuda_check(fake_cuda::enqueue("stage_kernel", stream_.get(), {from, to}, run), "stage_kernel",
               "computing a segment");
  }

  DevicePlace place_;
  CudaStream& stream_;
  std::shared_ptr<StageGate> gate_;  ///< gate of the stages; null: segments are graphs
  std::size_t max_batch_;
  std::size_t output_bytes_;
  int segments_;
  CudaBuffer input_;
  CudaBuffer values_;
  std::vector<CudaGraph> graphs_;
  CudaModel::Output output_;
  std::vector<std::string> notes_;
};

cudaStream_t models_stream = nullptr;  ///< stream of the models of the device that was made last

class FakeModels final : public CudaModels {
 public:
  FakeModels(CudaStream& stream, std::shared_ptr<StageGate> gate) : stream_(stream), gate_(std::move(gate)) {
    models_stream = stream.get();
  }
  std::unique_ptr<CudaModel> load(const ModelSource& source, const DevicePlace& place) override {
    return std::make_unique<FakeModel>(source, place, stream_, gate_);
  }

 private:
  CudaStream& stream_;
  std::shared_ptr<StageGate> gate_;
};

std::unique_ptr<Device> make_fake_device(int index, std::shared_ptr<StageGate> gate, Device::Wake wake,
                                         CudaEngine::OnOutput on_output = {}) {
  const auto models = [gate = std::move(gate)](CudaStream& stream) {
    return std::make_unique<FakeModels>(stream, gate);
  };
  const auto make = [=] { return std::make_unique<CudaEngine>(index, models, on_output); };
  return std::make_unique<StreamDevice>("kind 7", make, std::move(wake));
}

}  // namespace

std::vector<TestedKind> tested_kinds() {
  const auto make = [](std::shared_ptr<StageGate> gate, Device::Wake wake) {
    return make_fake_device(0, std::move(gate), std::move(wake));
  };
  return {{"fake_cuda", make, true, ""}};
}

namespace {

constexpr int kLargestBatch = 4;
constexpr std::size_t kOutputBytes = 100;  ///< bytes of each image: fewer than a model computes

/// A device, whose outputs and ends the test waits for.
class FakeCudaDevice : public testing::Test {
 protected:
  void SetUp() override { fake_cuda::reset(); }
  void TearDown() override {
    device_.reset();
    EXPECT_EQ(fake_cuda::reset(), std::vector<std::string>());
  }
  void make(int index = 0) {
    device_ = make_fake_device(
        index, nullptr,
        [this] {
          const std::lock_guard lock(mutex_);
          woken_ = true;
          changed_.notify_one();
        },
        [this](std::uint64_t tag, std::span<const float> values) {
          values_[tag].assign(values.begin(), values.end());
        });
  }
  DeviceModel load(int exit_points) {
    ModelSource source;
    source.model = "net";
    source.max_batch = kLargestBatch;
    source.exit_points = exit_points;
    source.output_bytes = kOutputBytes;
    return device_->load(source);
  }
  /// Waits for `count` ends and returns them in order.
  std::vector<BatchEnd> wait_for_ends(std::size_t count) {
    std::vector<BatchEnd> ends;
    while (ends.size() < count) {
      if (device_->take(ends)) continue;
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return woken_; });
      woken_ = false;
    }
    return ends;
  }
  /// Runs `count` batches of random sizes and images, two at a time, partly prepared; returns how they ended.
  std::vector<BatchEnd> run_batches(DeviceModel model, int segments, int count) {
    std::vector<BatchEnd> ends;
    std::map<std::uint64_t, std::vector<OwnedImage>> owned;
    for (std::uint64_t tag = 0; ends.size() < static_cast<std::size_t>(count);) {
      if (tag < static_cast<std::uint64_t>(count) && owned.size() < Device::kMaxOutstanding) {
        owned[tag] = random_images(random_, 1 + static_cast<int>(random_.below(kLargestBatch)), 5);
        const std::vector<Image> batch = views_of(owned[tag]);
        const std::uint64_t prepared = random_.below(batch.size() + 1);
        for (std::size_t i = 0; i < prepared; ++i) device_->prepare(model, batch[i]);
        try {
          device_->submit(tag, model, batch);
        } catch (const DeviceError& error) {
          EXPECT_EQ(error.fault(), DeviceFault::kDeviceLost);
          ends.push_back({.tag = tag, .failure = error.what(), .fault = error.fault()});
          owned.erase(tag);
        }
        ++tag;
        continue;
      }
      for (const BatchEnd& end : wait_for_ends(1)) {
        if (end.failure.empty()) {
          EXPECT_EQ(values_[end.tag], FakeModel::expected(views_of(owned[end.tag]), segments)) << end.tag;
          EXPECT_EQ(end.outputs.bytes, owned[end.tag].size() * kOutputBytes);
        }
        EXPECT_EQ(owned.erase(end.tag), 1U) << "each ends once";
        ends.push_back(end);
      }
    }
    for (const BatchEnd& end : ends) {  // no output has been overwritten
      EXPECT_EQ(end.outputs.bytes == 0, !end.failure.empty());
      if (end.outputs.bytes == 0) continue;
      EXPECT_EQ(std::memcmp(end.outputs.data, values_[end.tag].data(), end.outputs.bytes), 0) << end.tag;
    }
    return ends;
  }

  const std::uint64_t seed_ = fresh_seed();
  RandomStream random_{seed_, "fake device"};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = false;
  std::map<std::uint64_t, std::vector<float>> values_;  ///< outputs by tag; read when the batch has ended
  std::unique_ptr<Device> device_;
};

TEST_F(FakeCudaDevice, BatchesThatOverlapComputeTheirOwnImages) {
  SCOPED_TRACE(seed_text(seed_));
  make();
  for (const int exit_points : {0, 1, 3}) {
    for (const BatchEnd& end : run_batches(load(exit_points), exit_points + 1, 30))
      EXPECT_EQ(end.failure, "") << end.tag;
  }
}

/// There is one before and one after a batch.
TEST_F(FakeCudaDevice, NoEventWithTimingStandsBetweenSegments) {
  make();
  for (const int exit_points : {0, 3}) {
    const DeviceModel model = load(exit_points);
    const int before = fake_cuda::timed_records(models_stream);
    run_batches(model, exit_points + 1, 10);
    EXPECT_EQ(fake_cuda::timed_records(models_stream) - before, 2 * 10) << exit_points << " exit points";
  }
}

/// Whatever call fails, at whatever time, each batch ends once, with the right values or with a line that
/// says what failed, and the device goes on unless it is lost.
TEST_F(FakeCudaDevice, EveryErrorOfEveryCallEndsInALine) {
  SCOPED_TRACE(seed_text(seed_));
  make();
  run_batches(load(1), 2, 5);
  device_.reset();
  int failed = 0;
  for (const std::string& name : fake_cuda::called()) {
    if (name == "cudaGetDeviceCount") continue;
    for (const std::string& when : {std::string(), std::string(" runs")}) {
      for (const cudaError_t error :
           {cudaErrorMemoryAllocation, cudaErrorInvalidValue, cudaErrorECCUncorrectable}) {
        SCOPED_TRACE(name + when + " fails with " + cudaGetErrorName(error));
        fake_cuda::reset();
        fake_cuda::fail(name + when, error, static_cast<int>(random_.below(30)));
        try {
          make();
          for (const BatchEnd& end : run_batches(load(1), 2, 6)) {
            if (end.failure.empty()) continue;
            ++failed;
            EXPECT_EQ(end.failure.rfind("device kind 7: model net, batch ", 0), 0U) << end.failure;
            EXPECT_NE(end.fault, DeviceFault::kNoFault);
          }
        } catch (const DeviceError& refused) {  // thrown by the device's start, or by the load
          EXPECT_EQ(std::string(refused.what()).rfind("device ", 0), 0U) << refused.what();
        }
        device_.reset();
        values_.clear();
        EXPECT_EQ(fake_cuda::reset(), std::vector<std::string>());
        if (HasFailure()) return;
      }
    }
  }
  EXPECT_GT(failed, 0);
}

TEST_F(FakeCudaDevice, AGpuThatFallsOffFailsItsBatchesAndNoOthers) {
  SCOPED_TRACE(seed_text(seed_));
  for (int round = 0; round < 10; ++round) {
    fake_cuda::reset();
    make(1);
    const DeviceModel model = load(3);
    run_batches(model, 4, 3);
    fake_cuda::hold();
    const std::vector<OwnedImage> owned = random_images(random_, 2, 5);
    device_->submit(100, model, views_of(owned));
    device_->submit(101, model, views_of(owned));
    fake_cuda::lose(1);
    for (const BatchEnd& end : wait_for_ends(2)) {
      EXPECT_EQ(end.fault, DeviceFault::kDeviceLost);
      EXPECT_NE(end.failure.find("model net, batch 2"), std::string::npos) << end.failure;
    }
    EXPECT_THROW(device_->submit(102, model, views_of(owned)), DeviceError);
    fake_cuda::release();
    make(0);
    EXPECT_EQ(run_batches(load(0), 1, 3).back().failure, "") << "the other GPU";
    device_.reset();
  }
}

}  // namespace
}  // namespace harness

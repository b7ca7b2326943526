// The CUDA device: the conformance test, and its results beside the CPU device's. Skipped without a GPU.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/jit/api/module.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <thread>

#include "harness/core/random_stream.h"
#include "harness/gpu/cuda/cuda_gpus.h"
#include "harness/gpu/device/test_device_kinds.h"
#include "harness/gpu/inputs/test_images.h"
#include "harness/gpu/profiling/batch_runner.h"
#include "harness/gpu/profiling/device_wait.h"
#include "harness/gpu/profiling/profile_model.h"
#include "harness/gpu/torch/cpu_device.h"
#include "harness/gpu/torch/cuda_device.h"
#include "harness/gpu/torch/model_factory.h"
#include "harness/gpu/torch/test_gated_model.h"

namespace harness {

std::vector<TestedKind> tested_kinds() {
  // Devices have no graphs, so that stages which wait on the host, or throw, run there for each batch.
  const auto make = [](const std::shared_ptr<StageGate>& gate, Device::Wake wake) {
    TorchDeviceOptions options;
    options.name = "kind 7";
    options.graphs = false;
    options.models = gated_models(gate);
    return make_torch_cuda_device(std::move(options), 0, std::move(wake));
  };
  const std::string why = why_no_cuda_device();
  return {{"torch_cuda", make, true, why.empty() ? "" : "no GPU: " + why}};
}

namespace {

/// A device that gets one batch at a time, and keeps the outputs.
class Outputs {
 public:
  explicit Outputs(bool on_gpu, bool graphs = true, ModelFactory models = nullptr) {
    TorchDeviceOptions options;
    options.graphs = graphs;
    options.models = std::move(models);
    options.on_output = [this](std::uint64_t tag, std::span<const float> values) {
      values_[tag].assign(values.begin(), values.end());
    };
    if (on_gpu)
      device_ = make_torch_cuda_device(options, 0, wait_.wake());
    else
      device_ = make_torch_cpu_device(options, wait_.wake());
  }
  Device& device() { return *device_; }
  /// Returns the end of the earliest outstanding batch; take() may give two ends at a time.
  BatchEnd next_end() {
    while (ended_.empty()) {
      if (!device_->take(ended_)) wait_.wait_for_device(wait_.now_ns() + 60 * kNsPerS);
    }
    const BatchEnd end = ended_.front();
    ended_.erase(ended_.begin());
    return end;
  }
  std::vector<float> run(DeviceModel model, std::span<const Image> images) {
    device_->submit(++tag_, model, images);
    EXPECT_EQ(next_end().failure, "");
    return values_[tag_];
  }
  const std::vector<float>& values(std::uint64_t tag) { return values_[tag]; }

 private:
  SteadyWait wait_;
  std::map<std::uint64_t, std::vector<float>> values_;  ///< outputs by tag; read when the batch has ended
  std::vector<BatchEnd> ended_;                         ///< ends that were taken and not looked at
  std::uint64_t tag_ = 1000;
  std::unique_ptr<Device> device_;
};

class CudaDevice : public testing::Test {
 protected:
  void SetUp() override {
    const std::string why = why_no_cuda_device();
    if (!why.empty()) GTEST_SKIP() << "no GPU: " << why;
  }
  std::vector<Image> images(int count) {
    owned_ = random_images(random_, count, 9);
    return views_of(owned_);
  }
  static ModelSource source_of(const std::string& model, int max_batch, int exit_points = 0) {
    ModelSource source;
    source.model = model;
    source.max_batch = max_batch;
    source.exit_points = exit_points;
    return source;
  }

  RandomStream random_{fresh_seed(), "cuda device"};
  std::vector<OwnedImage> owned_;
};

bool same_bits(const std::vector<float>& one, const std::vector<float>& other) {
  return one.size() == other.size() && std::memcmp(one.data(), other.data(), one.size() * sizeof(float)) == 0;
}

/// Returns the root of the mean square of the differences, as a share of the root mean square of the values.
double distance(const std::vector<float>& found, const std::vector<float>& expected) {
  double difference = 0;
  double size = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    difference += std::pow(static_cast<double>(found[i]) - static_cast<double>(expected[i]), 2);
    size += std::pow(static_cast<double>(expected[i]), 2);
  }
  return std::sqrt(difference / size);
}

// TF32 keeps ten bits of a factor.
TEST_F(CudaDevice, ComputesWhatTheCpuComputes) {
  for (const char* const name : {"lenet", "resnet18", "yolov5n", "bert", "clip-vit-b32"}) {
    SCOPED_TRACE(name);
    Outputs cpu(false);
    Outputs gpu(true);
    const std::vector<Image> batch = images(2);
    const std::vector<float> expected = cpu.run(cpu.device().load(source_of(name, 2)), batch);
    const std::vector<float> found = gpu.run(gpu.device().load(source_of(name, 2)), batch);
    EXPECT_EQ(gpu.device().notes(), std::vector<std::string>());
    ASSERT_EQ(found.size(), expected.size());
    EXPECT_LT(distance(found, expected), 0.02);
  }
}

TEST_F(CudaDevice, GivesTheSameBitsByGraphsWithExitPointsAndCallByCall) {
  Outputs graphs(true);
  Outputs calls(true, false);
  const DeviceModel plain = graphs.device().load(source_of("resnet18", 4));
  const DeviceModel some = graphs.device().load(source_of("resnet18", 4, 7));
  const DeviceModel all = graphs.device().load(source_of("resnet18", 4, kAllExitPoints));
  const DeviceModel eager = calls.device().load(source_of("resnet18", 4));
  EXPECT_EQ(graphs.device().exit_points(all), 51);
  EXPECT_EQ(graphs.device().notes(), std::vector<std::string>());
  for (int batch = 1; batch <= 4; ++batch) {
    const std::vector<Image> given = images(batch);
    const std::vector<float> expected = graphs.run(plain, given);
    EXPECT_TRUE(same_bits(graphs.run(some, given), expected));
    EXPECT_TRUE(same_bits(graphs.run(all, given), expected));
    EXPECT_TRUE(same_bits(calls.run(eager, given), expected));
  }
}

TEST_F(CudaDevice, KeepsBatchesApartThatOverlap) {
  Outputs gpu(true);
  const DeviceModel lenet = gpu.device().load(source_of("lenet", 8));
  const DeviceModel other = gpu.device().load(source_of("lenet", 8, kAllExitPoints));
  std::vector<std::vector<OwnedImage>> owned;
  for (int i = 0; i < 40; ++i)
    owned.push_back(random_images(random_, 1 + static_cast<int>(random_.below(8)), 8));
  std::vector<BatchEnd> ended;
  for (std::uint64_t tag = 0; tag < owned.size(); ++tag) {
    const std::vector<Image> batch = views_of(owned[tag]);
    const DeviceModel model = tag % 3 == 0 ? other : lenet;
    if (tag >= 2) ended.push_back(gpu.next_end());
    for (std::size_t k = 0; tag % 2 == 0 && k + 1 < batch.size(); ++k) gpu.device().prepare(model, batch[k]);
    gpu.device().submit(tag, model, batch);
  }
  for (int i = 0; i < 2; ++i) ended.push_back(gpu.next_end());
  TimeNs free_ns = 0;
  for (std::uint64_t tag = 0; tag < owned.size(); ++tag) {
    EXPECT_EQ(ended[tag].tag, tag);
    EXPECT_EQ(ended[tag].failure, "");
    EXPECT_GE(ended[tag].started_ns, free_ns);
    free_ns = ended[tag].ended_ns;
    EXPECT_TRUE(same_bits(gpu.values(tag), gpu.run(lenet, views_of(owned[tag])))) << tag;
  }
}

TEST_F(CudaDevice, StopsARunningBatchEarly) {
  SteadyWait wait;
  const std::unique_ptr<Device> device = make_torch_cuda_device({}, 0, wait.wake());
  const DeviceModel model = device->load(source_of("resnet152", 32, 84));
  BatchRunner runner(*device, wait, 32, 224, 224, 1);
  runner.run(model, 32);
  const TimeNs whole_ns = runner.run(model, 32).time_ns();
  int stopped = 0;
  for (int i = 0; i < 20; ++i) {
    const FinishedBatch batch = runner.run_preempted(model, 32, whole_ns / 4);
    EXPECT_EQ(batch.end.failure, "");
    if (!batch.end.preempted) continue;
    ++stopped;
    EXPECT_LT(batch.time_ns(), whole_ns);
  }
  EXPECT_GE(stopped, 15);
  EXPECT_FALSE(runner.run(model, 32).end.preempted);
}

TEST_F(CudaDevice, SaysWhyASizeRunsWithoutAGraph) {
  Outputs gpu(true, true, [](const ModelSource&, const DevicePlace&) {
    StagedModel model;
    model.input.height = model.input.width = 4;
    model.stages.push_back([](std::vector<at::Tensor>& state) {
      // Reading a value waits for the device, which a capture does not allow.
      if (state[0].size(0) > 2 && state[0].sum().item<float>() > 1e30F) state[0] = state[0] + 1;
      state[0] = state[0].mean({1, 2, 3});
    });
    return model;
  });
  const DeviceModel model = gpu.device().load(source_of("peeping", 4));
  const std::vector<std::string> notes = gpu.device().notes();
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0].rfind("model peeping, batch 3 to 4 without a CUDA graph: ", 0), 0U) << notes[0];
  EXPECT_EQ(gpu.run(model, images(4)).size(), 4U) << "it runs, call by call";
  EXPECT_EQ(gpu.run(model, images(2)).size(), 2U);
}

TEST_F(CudaDevice, LeavesOthersWhenMemoryIsOut) {
  Outputs gpu(true, false, [](const ModelSource&, const DevicePlace&) {
    StagedModel model;
    model.input.height = model.input.width = 4;
    model.stages.push_back([](std::vector<at::Tensor>& state) {
      if (state[0].size(0) == 2) at::empty({std::int64_t{1} << 45}, state[0].options());
      state[0] = state[0].mean({1, 2, 3});
    });
    return model;
  });
  const DeviceModel model = gpu.device().load(source_of("giant", 3));
  const std::vector<Image> two = images(2);
  gpu.device().submit(1, model, two);
  const BatchEnd end = gpu.next_end();
  EXPECT_EQ(end.fault, DeviceFault::kOutOfMemory);
  EXPECT_NE(end.failure.find("model giant, batch 2: out of memory: "), std::string::npos) << end.failure;
  EXPECT_EQ(gpu.run(model, images(3)).size(), 3U);
}

TEST_F(CudaDevice, RunsTorchScript) {
  torch::jit::Module module("mine");
  module.register_parameter("weight", at::full({5}, 0.5), false);
  module.register_buffer("shift", at::full({2}, 3.0));
  module.define("def forward(self, x):\n  return x.mean([2, 3]) * self.weight[0] + self.shift[1]\n");
  ModelSource source = source_of("mine", 3);
  source.file =
      std::filesystem::temp_directory_path() / ("cuda_device_test." + std::to_string(getpid()) + ".pt");
  source.input_height = source.input_width = 8;
  module.save(source.file);
  Outputs cpu(false);
  Outputs gpu(true);
  const std::vector<Image> batch = images(3);
  const std::vector<float> expected = cpu.run(cpu.device().load(source), batch);
  const std::vector<float> found = gpu.run(gpu.device().load(source), batch);
  std::filesystem::remove(source.file);
  ASSERT_EQ(found.size(), 9U);
  EXPECT_LT(distance(found, expected), 1e-5);
}

TEST_F(CudaDevice, CountsItsMemory) {
  SteadyWait wait;
  const std::unique_ptr<Device> device = make_torch_cuda_device({}, 0, wait.wake());
  device->load(source_of("lenet", 5));
  const MemoryUse use = device->memory();
  EXPECT_EQ(use.model_bytes, (std::vector<std::uint64_t>{4 * 62'006}));
  EXPECT_GE(use.input_bytes, 4UL * 5 * 3 * 32 * 32);
  EXPECT_GT(use.capacity_bytes, std::uint64_t{1} << 30);
  EXPECT_EQ(device->name().rfind("cuda:0 ", 0), 0U);
}

}  // namespace
}  // namespace harness

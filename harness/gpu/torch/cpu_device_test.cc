// Torch devices under the conformance test, and their results.
#include "harness/gpu/torch/cpu_device.h"

#include <ATen/Parallel.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <deque>
#include <span>
#include <utility>

#include "harness/core/random_stream.h"
#include "harness/gpu/device/test_device_kinds.h"
#include "harness/gpu/torch/model_factory.h"
#include "harness/gpu/torch/test_gated_model.h"
#include "harness/gpu/torch/torch_error.h"
#include "harness/gpu/torch/zoo/zoo.h"

namespace harness {

std::vector<TestedKind> tested_kinds() {
  const auto make = [](const std::shared_ptr<StageGate>& gate, Device::Wake wake) {
    TorchDeviceOptions options;
    options.name = "kind 7";
    options.models = gated_models(gate);
    return make_torch_cpu_device(std::move(options), std::move(wake));
  };
  return {{"torch_cpu", make, true, ""}};
}

namespace {

/// A device that gets one batch at a time.
class TorchDevice : public testing::Test {
 protected:
  void make(ModelFactory models = nullptr) {
    TorchDeviceOptions options;
    options.models = std::move(models);
    options.on_output = [this](std::uint64_t, std::span<const float> values) {
      output_.assign(values.begin(), values.end());
    };
    device_ = make_torch_cpu_device(std::move(options), [this] { wake(); });
  }
  void wake() {
    const std::lock_guard lock(mutex_);
    woken_ = true;
    changed_.notify_one();
  }
  BatchEnd run(DeviceModel model, std::span<const Image> images) {
    output_.clear();
    device_->submit(++tag_, model, images);
    return next_end();
  }
  BatchEnd next_end() {
    std::vector<BatchEnd> ended;
    std::unique_lock lock(mutex_);
    while (!device_->take(ended)) {
      changed_.wait(lock, [this] { return woken_; });
      woken_ = false;
    }
    return ended.at(0);
  }
  /// Returns an image of one colour.
  Image plain(int height, int width, std::array<std::uint8_t, 3> colour) {
    std::vector<std::uint8_t>& bytes = images_.emplace_back();
    for (int i = 0; i < height * width; ++i) bytes.insert(bytes.end(), colour.begin(), colour.end());
    return {bytes, height, width};
  }
  /// Returns images of random sizes and bytes.
  std::vector<Image> random_images(std::size_t count, std::uint64_t seed) {
    RandomStream random(seed, "pictures", 0);
    std::vector<Image> images;
    for (std::size_t i = 0; i < count; ++i) {
      const int height = 20 + static_cast<int>(random.uniform() * 40);
      const int width = 20 + static_cast<int>(random.uniform() * 40);
      std::vector<std::uint8_t>& bytes = images_.emplace_back(3UL * height * width);
      for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.uniform() * 256);
      images.push_back({bytes, height, width});
    }
    return images;
  }

  std::deque<std::vector<std::uint8_t>> images_;
  std::vector<float> output_;  ///< output of the last batch
  std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = false;
  std::uint64_t tag_ = 0;
  std::unique_ptr<Device> device_;
};

ModelSource lenet(std::uint64_t seed, int exit_points = 0) {
  ModelSource source;
  source.model = "lenet";
  source.seed = seed;
  source.max_batch = 5;
  source.exit_points = exit_points;
  return source;
}

bool same_bits(const std::vector<float>& one, const std::vector<float>& other) {
  return one.size() == other.size() && std::memcmp(one.data(), other.data(), one.size() * sizeof(float)) == 0;
}

/// Returns a model that computes the mean of all values of an image, in 0..255.
StagedModel mean_model(const ModelSource&, const DevicePlace&) {
  StagedModel model;
  model.input.height = 6;
  model.input.width = 3;
  model.input.scale = {255, 255, 255};
  model.stages.push_back([](std::vector<at::Tensor>& state) { state[0] = state[0].mean({1, 2, 3}); });
  return model;
}

TEST_F(TorchDevice, GivesEachImageItsOutputInOrder) {
  make(mean_model);
  ModelSource source;
  source.max_batch = 3;
  const DeviceModel model = device_->load(source);
  const std::vector<Image> images = {plain(5, 9, {30, 60, 90}), plain(1, 1, {0, 0, 0}),
                                     plain(6, 3, {255, 255, 255})};
  EXPECT_EQ(run(model, images).failure, "");
  ASSERT_EQ(output_.size(), 3U);
  EXPECT_NEAR(output_[0], 60, 1e-4);
  EXPECT_EQ(output_[1], 0);
  EXPECT_NEAR(output_[2], 255, 1e-4);
  EXPECT_EQ(run(model, std::span(images).first(1)).failure, "");
  ASSERT_EQ(output_.size(), 1U);
  EXPECT_NEAR(output_[0], 60, 1e-4);
}

TEST_F(TorchDevice, GivesTheSameBitsForTheSameSeedAndOthersForAnother) {
  make();
  const DeviceModel first = device_->load(lenet(7));
  const DeviceModel again = device_->load(lenet(7));
  const DeviceModel other = device_->load(lenet(8));
  const std::vector<Image> images = random_images(5, 1);
  run(first, images);
  const std::vector<float> expected = output_;
  ASSERT_EQ(expected.size() % 5, 0U);
  ASSERT_GT(expected.size(), 5U);
  run(again, images);
  EXPECT_TRUE(same_bits(output_, expected));
  run(other, images);
  EXPECT_FALSE(same_bits(output_, expected));
}

TEST_F(TorchDevice, GivesTheSameBitsWithExitPointsAndWithout) {
  make();
  const DeviceModel plain_model = device_->load(lenet(7));
  EXPECT_EQ(device_->exit_points(plain_model), 0);
  const DeviceModel one = device_->load(lenet(7, 1));
  const DeviceModel all = device_->load(lenet(7, kAllExitPoints));
  EXPECT_EQ(device_->exit_points(one), 1);
  EXPECT_GT(device_->exit_points(all), 1);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const std::vector<Image> images = random_images(seed, seed);
    run(plain_model, images);
    const std::vector<float> expected = output_;
    run(one, images);
    EXPECT_TRUE(same_bits(output_, expected));
    run(all, images);
    EXPECT_TRUE(same_bits(output_, expected));
  }
}

// Each stage may add a rounding, by 2^-11 or 2^-8 of the largest output.
TEST_F(TorchDevice, ComputesNearlyTheSameInHalfPrecision) {
  make();
  for (const Precision precision : {Precision::kFp16, Precision::kBf16}) {
    for (const char* const model : {"lenet", "resnet18"}) {
      SCOPED_TRACE(std::string(model) + " in " + name_of(precision));
      ModelSource source = lenet(7, kAllExitPoints);
      source.model = model;
      const DeviceModel single = device_->load(source);
      source.precision = precision;
      source.output_bytes = 1000;
      const std::size_t count =
          model == std::string("lenet") ? 3 : 1;  // processors take long if they lack instructions for it
      const std::vector<Image> images = random_images(count, 2);
      ASSERT_EQ(run(single, images).failure, "");
      const std::vector<float> expected = output_;
      DeviceModel half = 0;
      try {
        half = device_->load(source);
      } catch (const DeviceError& error) {  // LibTorch lacks such operators on processors
        const std::string text = error.what();
        EXPECT_NE(text.find("] in fp16: "), std::string::npos) << text;
        EXPECT_NE(text.find("not implemented for 'Half'"), std::string::npos) << text;
        EXPECT_EQ(text.find('\n'), std::string::npos) << text;
        EXPECT_EQ(precision, Precision::kFp16);
        continue;
      }
      const BatchEnd end = run(half, images);
      ASSERT_EQ(end.failure, "");
      EXPECT_EQ(end.outputs.bytes, 1000 * count);
      const std::vector<float> found = output_;
      ASSERT_EQ(found.size(), expected.size());
      float largest = 0;
      for (const float value : expected) largest = std::max(largest, std::abs(value));
      const int stages = device_->exit_points(half) + 1;
      const double tolerance = stages * (precision == Precision::kFp16 ? 0x1p-11 : 0x1p-8) * largest;
      for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], tolerance);
      EXPECT_FALSE(same_bits(found, expected));
      EXPECT_EQ(stages, device_->exit_points(single) + 1);
      const std::vector<std::uint64_t> bytes = device_->memory().model_bytes;
      EXPECT_LT(static_cast<double>(bytes[half]), 0.51 * static_cast<double>(bytes[single]));
      source.exit_points = 0;
      ASSERT_EQ(run(device_->load(source), images).failure, "");
      EXPECT_TRUE(same_bits(output_, found));
    }
  }
}

TEST_F(TorchDevice, CountsWeightsInBytes) {
  make();
  device_->load(lenet(1));
  const ZooModel* const zoo = find_zoo_model("lenet");
  ASSERT_NE(zoo, nullptr);
  const MemoryUse use = device_->memory();
  ASSERT_EQ(use.model_bytes.size(), 1U);
  EXPECT_EQ(use.model_bytes[0], 4 * static_cast<std::uint64_t>(zoo->parameters));
  EXPECT_EQ(use.input_bytes, 4UL * 5 * 3 * zoo->input.height * zoo->input.width);
  EXPECT_GT(use.capacity_bytes, use.input_bytes);
}

TEST_F(TorchDevice, RefusesModelsThatTheZooHasNot) {
  make();
  ModelSource source;
  source.model = "resnet5O";
  try {
    device_->load(source);
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.fault(), DeviceFault::kMissingModel);
    const std::string text = error.what();
    const std::string begin = "device cpu: model resnet5O: missing model: ";
    EXPECT_EQ(text.substr(0, begin.size()), begin);
    EXPECT_NE(text.find("resnet50", begin.size()), std::string::npos) << text;
  }
}

TEST_F(TorchDevice, TakesTheInputSizeThatIsAskedFor) {
  make();
  ModelSource source = lenet(1);
  source.input_height = source.input_width = 7;  // too small for two convolutions and two poolings
  EXPECT_THROW(device_->load(source), DeviceError);
}

TEST_F(TorchDevice, SaysWhenTheOutputIsNotABatch) {
  make([](const ModelSource& source, const DevicePlace& place) {
    StagedModel model = mean_model(source, place);
    model.stages.push_back([](std::vector<at::Tensor>& state) {
      if (state[0].size(0) == 2) state[0] = state[0].sum();
      if (state[0].dim() > 0 && state[0].size(0) == 3) state[0] = state[0].reshape({1, 3});
    });
    return model;
  });
  ModelSource source;
  source.model = "shrinking";
  source.max_batch = 3;
  const DeviceModel model = device_->load(source);
  const std::vector<Image> images(3, plain(6, 3, {1, 2, 3}));
  const BatchEnd scalar = run(model, std::span(images).first(2));
  EXPECT_EQ(scalar.fault, DeviceFault::kWrongShape);
  EXPECT_EQ(scalar.failure,
            "device cpu: model shrinking, batch 2: wrong shape: the output is a scalar, not [2, ...]");
  EXPECT_EQ(run(model, images).failure,
            "device cpu: model shrinking, batch 3: wrong shape: the output is [1, 3], not [3, ...]");
  EXPECT_EQ(run(model, std::span(images).first(1)).failure, "");
}

TEST_F(TorchDevice, SaysWhenMemoryIsOut) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer ends the program";
#endif
  make([](const ModelSource& source, const DevicePlace& place) {
    StagedModel model = mean_model(source, place);
    model.stages.push_back([](std::vector<at::Tensor>& state) {
      if (state[0].size(0) == 2) at::empty({std::int64_t{1} << 50});
    });
    return model;
  });
  ModelSource source;
  source.model = "giant";
  source.max_batch = 2;
  const DeviceModel model = device_->load(source);
  const std::vector<Image> images(2, plain(6, 3, {1, 2, 3}));
  const BatchEnd end = run(model, images);
  EXPECT_EQ(end.fault, DeviceFault::kOutOfMemory);
  const std::string begin = "device cpu: model giant, batch 2: out of memory: ";
  EXPECT_EQ(end.failure.substr(0, begin.size()), begin);
  EXPECT_NE(end.failure.find("4503599627370496 bytes"), std::string::npos) << end.failure;
  EXPECT_EQ(run(model, std::span(images).first(1)).failure, "");
}

TEST_F(TorchDevice, ComputesWithAsManyThreadsAsAsked) {
  for (const int threads : {2, 1}) {
    int seen = 0;
    TorchDeviceOptions options;
    options.threads = threads;
    options.models = [&](const ModelSource& source, const DevicePlace& place) {
      StagedModel model = mean_model(source, place);
      model.stages.push_back([&](std::vector<at::Tensor>&) { seen = at::get_num_threads(); });
      return model;
    };
    make_torch_cpu_device(options, nullptr)->load({});
    EXPECT_EQ(seen, threads);
  }
}

/// The thread that computes the first batch must not go on to the second before it has reported the end.
TEST_F(TorchDevice, TellsOfABatchBeforeItComputesTheNext) {
  const auto gate = std::make_shared<StageGate>();
  make(gated_models(gate));
  ModelSource source;
  source.model = "gated";
  source.exit_points = kAllExitPoints;
  const DeviceModel model = device_->load(source);
  const Image image = plain(4, 4, {1, 2, 3});
  gate->close();
  device_->submit(1, model, std::span(&image, 1));
  device_->submit(2, model, std::span(&image, 1));
  gate->allow(kTestStages);
  EXPECT_EQ(next_end().tag, 1U);
  gate->open();
  EXPECT_EQ(next_end().tag, 2U);
}

TEST_F(TorchDevice, SaysWhatTheAssemblyCannotTake) {
  make(mean_model);
  const DeviceModel model = device_->load({});
  const Image longest = plain(1, 1 << 20, {1, 2, 3});
  const BatchEnd end = run(model, std::span(&longest, 1));
  EXPECT_EQ(end.fault, DeviceFault::kWrongShape) << end.failure;
}

TEST(TorchError, KnowsWhenMemoryIsOutInLibrariesToo) {
  const auto fault_of = [](const char* text) {
    try {
      TORCH_CHECK(false, text);
    } catch (const c10::Error& error) {
      return from_torch(error, {}).fault();
    }
  };
  EXPECT_EQ(fault_of("CUDA out of memory. Tried to allocate 1 GiB"), DeviceFault::kOutOfMemory);
  EXPECT_EQ(fault_of("cuDNN error: CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED"),
            DeviceFault::kOutOfMemory);
  EXPECT_EQ(fault_of("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate`"),
            DeviceFault::kOutOfMemory);
  EXPECT_EQ(fault_of("mat1 and mat2 shapes cannot be multiplied"), DeviceFault::kComputeFailed);
}

// Each image leaves the bytes of its own values behind, repeated up to the size asked for.
TEST(StagedModel, WhatAnImageLeavesBehindIsItsOutputRepeated) {
  constexpr std::int64_t kImages = 3;
  constexpr std::int64_t kValues = 5;
  const at::Tensor output = at::arange(kImages * kValues, at::kFloat).view({kImages, kValues}) + 0.25;
  for (const std::size_t bytes : {1, 3, 19, 20, 21, 40, 47, 1000}) {
    const at::Tensor left = payload_of(output, bytes);
    ASSERT_EQ(left.nbytes(), kImages * bytes);
    for (std::size_t image = 0; image < kImages; ++image) {
      const auto* values = reinterpret_cast<const std::uint8_t*>(output.data_ptr<float>() + kValues * image);
      const std::uint8_t* own = left.data_ptr<std::uint8_t>() + image * bytes;
      for (std::size_t i = 0; i < bytes; ++i)
        ASSERT_EQ(own[i], values[i % (kValues * sizeof(float))]) << image << " " << i;
    }
  }
  const at::Tensor none = payload_of(at::empty({2, 0}, at::kFloat), 4);
  EXPECT_EQ(none.nbytes(), 8U);
}

TEST(StagedModel, ExitPointsLieEvenlyBetweenStages) {
  for (int stages = 1; stages <= 40; ++stages) {
    for (int points = 0; points < stages; ++points) {
      const std::vector<std::size_t> begins = segment_begins(points, stages);
      ASSERT_EQ(begins.size(), static_cast<std::size_t>(points) + 2);
      EXPECT_EQ(begins.front(), 0U);
      EXPECT_EQ(begins.back(), static_cast<std::size_t>(stages));
      std::vector<std::size_t> lengths;
      for (std::size_t i = 1; i < begins.size(); ++i) lengths.push_back(begins[i] - begins[i - 1]);
      const auto [least, most] = std::minmax_element(lengths.begin(), lengths.end());
      EXPECT_GE(*least, 1U) << "before the first stage nothing has run";
      EXPECT_LE(*most - *least, 1U) << points << " of " << stages;
    }
  }
}

}  // namespace
}  // namespace harness

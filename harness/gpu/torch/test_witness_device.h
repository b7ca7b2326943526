// For tests: a torch device that compares the output of each image with the network's in double precision.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/gpu/device/device.h"
#include "harness/gpu/device/model_source.h"
#include "harness/gpu/torch/cpu_device.h"
#include "harness/gpu/torch/test_double_reference.h"
#include "harness/live/tensors/tensors.h"

namespace harness {

/// The images that visits bring to the modules of a pipeline of one zoo model, and the right output for each.
/// The images are those that clients send, that services seem to leave behind, and that devices have been
/// seen to leave behind.
class ImageOutputs {
 public:
  /// Takes the seeds of the images and of the weights. `modules` are the modules that run the model, in the
  /// order in which devices load them.
  ImageOutputs(const Pipeline& pipeline, std::vector<ModuleId> modules, const ZooModel& model,
               std::uint64_t tensors_seed, std::uint64_t weights_seed)
      : pipeline_(pipeline), modules_(std::move(modules)), network_(model, weights_seed) {
    Tensors tensors(pipeline, tensors_seed);
    outputs_.resize(modules_.size());
    for (std::size_t i = 0; i < modules_.size(); ++i) {
      const Module& declared = pipeline.modules[modules_[i]];
      for (RequestId request = 0; request < Tensors::kTensorsPerModule; ++request) {
        if (declared.pres.empty()) add(declared, tensors.input(modules_[i], request).span(), outputs_[i]);
        for (const ModuleId pre : declared.pres) {
          if (std::find(modules_.begin(), modules_.end(), pre) != modules_.end()) continue;
          const StoredTensor tensor = tensors.output(pre, request);
          add(declared, tensor.span(), outputs_[i]);
        }
      }
    }
  }

  /// Takes note of what a batch of the model, of this many images, has left behind.
  void see(DeviceModel model, const StoredTensor& outputs, std::size_t images) {
    const std::size_t each = outputs.bytes / images;
    for (std::size_t i = 0; i < modules_.size(); ++i) {
      const Module& declared = pipeline_.modules[modules_[i]];
      const std::vector<ModuleId>& pres = declared.pres;
      if (std::find(pres.begin(), pres.end(), modules_[model]) == pres.end()) continue;
      for (std::size_t image = 0; image < images; ++image)
        add(declared, outputs.span().subspan(image * each, each), outputs_[i]);
    }
  }

  const std::vector<ModuleId>& modules() const { return modules_; }
  /// Returns the right output for the image; null if no visit brings this image.
  const std::vector<double>* find(DeviceModel model, const Image& image) const {
    const auto found = outputs_.at(model).find(text_of(image));
    return found == outputs_[model].end() ? nullptr : &found->second;
  }

 private:
  using Outputs = std::map<std::string, std::vector<double>>;

  /// Adds the output for the bytes, of which the module takes as many as it declares.
  void add(const Module& declared, std::span<const std::byte> bytes, Outputs& outputs) const {
    const auto own = bytes.first(declared.input_bytes);
    const Image image = {{reinterpret_cast<const std::uint8_t*>(own.data()), own.size()},
                         declared.input_height,
                         declared.input_width};
    const auto [found, is_new] = outputs.try_emplace(text_of(image));
    if (is_new) found->second = network_.output(image);
  }
  static std::string text_of(const Image& image) { return {image.bytes.begin(), image.bytes.end()}; }

  const Pipeline& pipeline_;
  std::vector<ModuleId> modules_;
  DoubleNetwork network_;
  std::vector<Outputs> outputs_;  ///< outputs by DeviceModel
};

/// A record of what one device has computed.
struct Witness {
  std::vector<std::uint64_t> right;  ///< number of images with their own output, by DeviceModel
  std::uint64_t wrong = 0;           ///< number of other images
  double largest_error = 0;          ///< largest error of the right ones, as a share of the largest output
};

/// A CPU device that records its results in a witness, which is read when the device is gone.
class WitnessDevice final : public Device {
 public:
  /// The largest error of a right output. Single precision through a few layers is exact to some 1e-6 of the
  /// largest output; the outputs of two images differ by a hundred thousand times that.
  static constexpr double kTolerance = 1e-4;

  WitnessDevice(ImageOutputs& outputs, Witness& witness, Wake wake) : outputs_(outputs), witness_(witness) {
    witness_.right.resize(outputs.modules().size());
    TorchDeviceOptions options;
    options.on_output = [this](std::uint64_t tag, std::span<const float> values) { judge(tag, values); };
    device_ = make_torch_cpu_device(std::move(options), std::move(wake));
  }

  DeviceModel load(const ModelSource& source) override { return device_->load(source); }
  int exit_points(DeviceModel model) const override { return device_->exit_points(model); }
  void submit(std::uint64_t tag, DeviceModel model, std::span<const Image> images) override {
    {
      const std::scoped_lock lock(mutex_);
      Batch& batch = batches_[tag];
      batch.model = model;
      for (const Image& image : images) batch.expected.push_back(outputs_.find(model, image));
    }
    submitted_[tag] = {model, images.size()};
    device_->submit(tag, model, images);
  }
  void preempt(std::uint64_t tag) override { device_->preempt(tag); }
  bool take(std::vector<BatchEnd>& ended) override {
    const std::size_t before = ended.size();
    if (!device_->take(ended)) return false;
    for (std::size_t i = before; i < ended.size(); ++i) {
      const auto [model, images] = submitted_.extract(ended[i].tag).mapped();
      if (ended[i].outputs.bytes > 0) outputs_.see(model, ended[i].outputs, images);
    }
    return true;
  }
  MemoryUse memory() const override { return device_->memory(); }
  std::string name() const override { return device_->name(); }

 private:
  struct Batch {
    DeviceModel model = 0;
    std::vector<const std::vector<double>*> expected;  ///< right outputs by image
  };

  void judge(std::uint64_t tag, std::span<const float> values) {
    const std::scoped_lock lock(mutex_);
    const Batch& batch = batches_.at(tag);
    const std::size_t each = values.size() / batch.expected.size();
    for (std::size_t i = 0; i < batch.expected.size(); ++i) {
      const std::vector<double>* expected = batch.expected[i];
      const bool comparable = expected != nullptr && expected->size() == each;
      const double error = comparable ? error_of(values.subspan(i * each, each), *expected) : 1;
      if (!(error <= kTolerance)) {
        ++witness_.wrong;
        continue;
      }
      ++witness_.right[batch.model];
      witness_.largest_error = std::max(witness_.largest_error, error);
    }
    batches_.erase(tag);
  }

  static double error_of(std::span<const float> values, const std::vector<double>& expected) {
    double largest = 0, error = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      largest = std::max(largest, std::abs(expected[i]));
      error = std::max(error, std::abs(static_cast<double>(values[i]) - expected[i]));
    }
    return error / largest;
  }

  ImageOutputs& outputs_;
  Witness& witness_;
  /// The model and the number of images of each submitted batch, by tag.
  std::map<std::uint64_t, std::pair<DeviceModel, std::size_t>> submitted_;
  std::mutex mutex_;
  std::map<std::uint64_t, Batch> batches_;  ///< batches by tag
  std::unique_ptr<Device> device_;          ///< device; declared last, because its thread uses the rest
};

}  // namespace harness

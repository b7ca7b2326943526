// Runs batches through LibTorch on the CPU.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/gpu/device/stream_engine.h"
#include "harness/gpu/inputs/assembler.h"
#include "harness/gpu/torch/staged_model.h"
#include "harness/gpu/torch/torch_device_options.h"

namespace harness {

/// Computes each segment when it is enqueued. Assembling the inputs is part of the first segment, and so of
/// the batch's time: a CPU has no second engine that could copy meanwhile.
///
/// Every model runs an image of zeros before it counts as loaded. If there is a choice where its exit points
/// are, such runs are timed, and the times of the stages decide. The output of a batch of n must be a tensor
/// whose first dimension is n; otherwise the batch fails.
class CpuEngine final : public StreamEngine {
 public:
  /// Makes the engine; options.models must be set.
  explicit CpuEngine(TorchDeviceOptions options) : options_(std::move(options)) {}

  int load(const ModelSource& source, const DevicePlace& place) override;
  MemoryUse memory() const override;
  std::vector<std::string> notes() const override { return {}; }
  bool copies_ahead() const override { return false; }
  void prepare(int, DeviceModel, const Image&) override {}
  void begin(int slot, DeviceModel model, std::span<const Image> images) override;
  bool copy_some(int) override { return false; }
  void enqueue(int slot, int segment) override;
  bool passed(int, int) override { return true; }
  DeviceSpan span(int number, int) override { return slot(number).span; }
  StoredTensor hand_out(int slot, std::uint64_t tag) override;
  void release(int number) override { slot(number) = {}; }

 private:
  struct Loaded {
    StagedModel model;
    std::vector<std::size_t> begins;  ///< first stage of each segment (segment_begins())
    Assembler assembler;
    std::size_t output_bytes = 0;
    int segments() const { return static_cast<int>(begins.size()) - 1; }
  };
  struct Slot {
    DeviceModel model = 0;
    std::span<const Image> images;
    std::vector<at::Tensor> state;  ///< state between segments; at the end the output
    DeviceSpan span;
    at::Tensor payload;  ///< outputs for other models, at the end, if there are any
  };

  Slot& slot(int number) { return slots_[static_cast<std::size_t>(number)]; }
  Loaded make(const ModelSource& source, const DevicePlace& place);
  /// Returns how long the stages take for an image of zeros.
  std::vector<TimeNs> time_stages(const Loaded& loaded);
  /// Returns the first `count` images of the input.
  at::Tensor input_of(const Loaded& loaded, std::size_t count);
  void warm_up(const Loaded& loaded, const DevicePlace& place);

  TorchDeviceOptions options_;
  std::vector<Loaded> models_;  ///< loaded models, by DeviceModel
  std::vector<float> input_;    ///< input of one batch, with room for the largest of all models
  std::array<Slot, Device::kMaxOutstanding> slots_;
};

}  // namespace harness

// Batches through LibTorch on the CPU.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "harness/gpu/batch_engine.h"
#include "harness/gpu/torch/staged_model.h"
#include "harness/gpu/torch/torch_device.h"

namespace harness {

/// Every loaded model has run a picture of zeros before it counts as loaded. The output of a batch of n is a
/// tensor whose first dimension is n; any other fails the batch.
class CpuEngine final : public BatchEngine {
 public:
  /// options.models is set.
  explicit CpuEngine(TorchDeviceOptions options) : options_(std::move(options)) {}

  int load(const ModelSource& source, const DevicePlace& place) override;
  bool run(const SubmittedBatch& batch) override;
  MemoryUse memory() const override;

 private:
  struct Loaded {
    StagedModel model;
    std::vector<bool> exits;  ///< by stage: it begins with an exit point
    Assembler assembler;
  };

  Loaded make(const ModelSource& source, const DevicePlace& place);
  /// The first `count` pictures of the input.
  at::Tensor input_of(const Loaded& loaded, std::size_t count);
  void warm_up(const Loaded& loaded, const DevicePlace& place);

  TorchDeviceOptions options_;
  std::vector<Loaded> models_;  ///< by DeviceModel
  std::vector<float> input_;    ///< of one batch, as large as the largest
};

}  // namespace harness

// Where a torch device's models come from, unless a test brings its own.
#pragma once

#include <c10/core/Device.h>

#include "harness/gpu/device.h"
#include "harness/gpu/torch/staged_model.h"

namespace harness {

/// The TorchScript file source.file, or the zoo's model source.model with random weights of source.seed.
/// Weights are float32 and on `device`; those of a seed are the same bits on every device. Throws
/// DeviceError: kMissingModel, kNotAModel, kWrongShape.
StagedModel make_staged_model(const ModelSource& source, const DevicePlace& place,
                              c10::Device device = c10::kCPU);

}  // namespace harness

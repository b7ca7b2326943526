// The source of a torch device's models, unless a test brings its own.
#pragma once

#include <c10/core/Device.h>

#include "harness/gpu/device/device.h"
#include "harness/gpu/device/device_error.h"
#include "harness/gpu/device/model_source.h"
#include "harness/gpu/torch/staged_model.h"

namespace harness {

/// Makes the model of the TorchScript file source.file, or the zoo's model source.model with random weights
/// of source.seed. Weights are of source.precision and on `device`; a seed's weights are the same bits on
/// every device. Throws DeviceError: kMissingModel, kNotAModel, kWrongShape.
StagedModel make_staged_model(const ModelSource& source, const DevicePlace& place,
                              c10::Device device = c10::kCPU);

}  // namespace harness

// The source of a torch device's models, unless a test brings its own.
#pragma once

#include <c10/core/Device.h>

#include "harness/gpu/device/device.h"
#include "harness/gpu/torch/staged_model.h"

namespace harness {

// Models of the user, saved by torch.jit.save().

/// Loads the model of source.file, with all its tensors on `device`: it is one stage, so it has no exit
/// points. Its forward takes a tensor [batch, 3, input_height, input_width] of RGB as ImageNet's models take
/// it, and returns a tensor. Weights and input are of source.precision, channels last in half precision,
/// whatever the file has.
///
/// Throws DeviceError: kMissingModel if the file cannot be read, kNotAModel if it is not such a model (the
/// error says why), kWrongShape if `source` has no input size. A forward that does not return a tensor throws
/// kNotAModel when it runs.
StagedModel load_torchscript(const ModelSource& source, const DevicePlace& place,
                             c10::Device device = c10::kCPU);

/// Makes the model of the TorchScript file source.file, or the zoo's model source.model with random weights
/// of source.seed. Weights are of source.precision and on `device`; a seed's weights are the same bits on
/// every device. Throws DeviceError: kMissingModel, kNotAModel, kWrongShape.
StagedModel make_staged_model(const ModelSource& source, const DevicePlace& place,
                              c10::Device device = c10::kCPU);

}  // namespace harness

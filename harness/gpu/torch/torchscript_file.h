// Models of the user, saved by torch.jit.save().
#pragma once

#include <c10/core/Device.h>

#include "harness/gpu/device/device_error.h"
#include "harness/gpu/device/model_source.h"
#include "harness/gpu/torch/staged_model.h"

namespace harness {

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

}  // namespace harness

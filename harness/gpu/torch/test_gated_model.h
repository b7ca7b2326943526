// For tests of torch devices: the model of the conformance test.
#pragma once

#include <memory>
#include <vector>

#include "harness/gpu/device/test_device_kinds.h"
#include "harness/gpu/torch/torch_device_options.h"

namespace harness {

/// Makes models of kTestStages stages that wait at the gate; the model "absent" does not exist.
inline ModelFactory gated_models(const std::shared_ptr<StageGate>& gate) {
  return [gate](const ModelSource&, const DevicePlace& place) {
    if (place.model == "absent") throw DeviceError(DeviceFault::kMissingModel, place, "");
    StagedModel model;
    model.input.height = 4;
    model.input.width = 4;
    for (int stage = 0; stage < kTestStages; ++stage) {
      model.stages.push_back([gate, place, stage](std::vector<at::Tensor>& state) {
        DevicePlace here = place;
        here.batch = static_cast<int>(state[0].size(0));
        run_test_stage(here, stage, here.batch, *gate);
        state[0] = state[0] + 1;
      });
    }
    return model;
  };
}

}  // namespace harness

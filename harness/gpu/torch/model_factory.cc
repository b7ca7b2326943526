#include "harness/gpu/torch/model_factory.h"

#include <memory>

#include "harness/gpu/torch/torchscript_file.h"
#include "harness/gpu/torch/zoo/network.h"
#include "harness/gpu/torch/zoo/zoo.h"

namespace harness {
namespace {

StagedModel make_from_zoo(const ModelSource& source, const DevicePlace& place, c10::Device device) {
  const ZooModel* const found = find_zoo_model(source.model);
  if (found == nullptr) throw DeviceError(DeviceFault::kMissingModel, place, unknown_zoo_model(source.model));
  const std::shared_ptr<Network> network = make_model(*found, source.seed);
  if (source.precision != Precision::kFp32) network->fold_norms();
  StagedModel model;
  model.precision = source.precision;
  for (const Network::Stage& stage : network->stages()) model.stages.push_back(stage.run);
  model.input = found->input;
  if (source.input_height > 0) {
    model.input.height = source.input_height;
    model.input.width = source.input_width;
  }
  model.weights = network->parameters();
  for (const at::Tensor& buffer : network->buffers()) model.weights.push_back(buffer);
  if (source.precision != Precision::kFp32) convert_weights(model.weights, type_of(source.precision));
  network->to(device);
  model.owner = network;
  return model;
}

}  // namespace

StagedModel make_staged_model(const ModelSource& source, const DevicePlace& place, c10::Device device) {
  return source.file.empty() ? make_from_zoo(source, place, device) : load_torchscript(source, place, device);
}

}  // namespace harness

#include "harness/gpu/torch/torchscript_file.h"

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "harness/core/input_error.h"
#include "harness/core/input_file.h"
#include "harness/gpu/inputs/input_format.h"
#include "harness/gpu/torch/torch_error.h"
#include "harness/gpu/torch/zoo/network.h"

namespace harness {
namespace {

/// Returns the format in which torchvision's models take images.
InputFormat imagenet_format(const ModelSource& source) {
  InputFormat format;
  format.height = source.input_height;
  format.width = source.input_width;
  format.mean = {0.485F, 0.456F, 0.406F};
  format.scale = {1 / 0.229F, 1 / 0.224F, 1 / 0.225F};
  return format;
}

std::shared_ptr<torch::jit::Module> read_module(const ModelSource& source, const DevicePlace& place,
                                                c10::Device device) {
  const auto refuse = [&](const std::string& why) {
    throw DeviceError(
        DeviceFault::kNotAModel, place,
        "torch.jit.save() did not write the file, as torch.jit.script(model).save(FILE) does: " + why);
  };
  try {
    const InputFile opened(source.file, "a model's file");
  } catch (const InputError& error) {
    const std::string why = error.what();  // begins with the path, which the message already has
    throw DeviceError(DeviceFault::kMissingModel, place,
                      "the file cannot be read: " + why.substr(why.find("found ")));
  }
  std::shared_ptr<torch::jit::Module> module;
  try {
    module = std::make_shared<torch::jit::Module>(torch::jit::load(source.file, device));
  } catch (const c10::Error& error) {
    refuse(error.what_without_backtrace());
  } catch (const std::exception& error) {
    refuse(error.what());
  }
  if (!module->find_method("forward"))
    throw DeviceError(DeviceFault::kNotAModel, place, "the TorchScript module has no forward()");
  module->eval();
  return module;
}

}  // namespace

StagedModel load_torchscript(const ModelSource& source, const DevicePlace& place, c10::Device device) {
  if (source.input_height == 0)
    throw DeviceError(DeviceFault::kWrongShape, place,
                      "a TorchScript file does not say how large its images are: give input_height and "
                      "input_width");
  const std::shared_ptr<torch::jit::Module> module = read_module(source, place, device);
  StagedModel model;
  model.precision = source.precision;
  model.input = imagenet_format(source);
  for (const at::Tensor& weight : module->parameters()) model.weights.push_back(weight);
  for (const at::Tensor& weight : module->buffers()) model.weights.push_back(weight);
  const at::ScalarType type = type_of(source.precision);
  convert_weights(model.weights, type);
  const auto layout = type == at::kFloat ? at::MemoryFormat::Contiguous : at::MemoryFormat::ChannelsLast;
  model.stages.push_back([module, place, type, layout](std::vector<at::Tensor>& state) {
    const c10::IValue output = module->forward({state[0].to(type).contiguous(layout)});
    if (!output.isTensor())
      throw DeviceError(DeviceFault::kNotAModel, place,
                        "forward() returns a " + output.tagKind() + ", a tensor is needed");
    state[0] = output.toTensor();
  });
  return model;
}

}  // namespace harness

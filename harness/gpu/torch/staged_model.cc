#include "harness/gpu/torch/staged_model.h"

#include <cstddef>
#include <string>

namespace harness {
namespace {

std::string shape_of(const at::Tensor& tensor) {
  if (!tensor.defined()) return "undefined";
  std::string text;
  for (const std::int64_t size : tensor.sizes()) text += (text.empty() ? "[" : ", ") + std::to_string(size);
  return text.empty() ? "a scalar" : text + "]";
}

}  // namespace

std::uint64_t bytes_of(const StagedModel& model) {
  std::uint64_t bytes = 0;
  for (const at::Tensor& weight : model.weights) bytes += weight.nbytes();
  return bytes;
}

int exit_points_of(const StagedModel& model, const ModelSource& source, const DevicePlace& place) {
  const int places = static_cast<int>(model.stages.size()) - 1;
  const int points = source.exit_points == kAllExitPoints ? places : source.exit_points;
  if (points <= places) return points;
  throw DeviceError(DeviceFault::kWrongShape, place,
                    std::to_string(points) + " exit points asked for, it has " + std::to_string(places));
}

void check_output(const at::Tensor& output, std::size_t batch, const DevicePlace& place) {
  const auto images = static_cast<std::int64_t>(batch);
  if (output.defined() && output.dim() > 0 && output.size(0) == images) return;
  throw DeviceError(DeviceFault::kWrongShape, place,
                    "the output is " + shape_of(output) + ", not [" + std::to_string(batch) + ", ...]");
}

DeviceError of_first_run(const DeviceError& error, const StagedModel& model, const DevicePlace& place) {
  if (error.fault() != DeviceFault::kComputeFailed) return error.at(place);
  const std::string shape =
      "[1, 3, " + std::to_string(model.input.height) + ", " + std::to_string(model.input.width) + "]";
  return {DeviceFault::kComputeFailed,
          {place.device, place.model, 1},
          "on an input of " + shape + ": " + error.detail()};
}

std::vector<std::size_t> segment_begins(int exit_points, int stages) {
  std::vector<std::size_t> begins;
  for (int point = 0; point <= exit_points + 1; ++point)
    begins.push_back(static_cast<std::size_t>(point) * static_cast<std::size_t>(stages) /
                     static_cast<std::size_t>(exit_points + 1));
  return begins;
}

void run_segment(const StagedModel& model, const std::vector<std::size_t>& begins, int segment,
                 std::vector<at::Tensor>& state) {
  const auto begin = begins.begin() + segment;
  for (std::size_t stage = begin[0]; stage < begin[1]; ++stage) model.stages[stage](state);
}

}  // namespace harness

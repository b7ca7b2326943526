#include "harness/gpu/torch/staged_model.h"

#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>

#include "harness/core/types.h"

namespace harness {
namespace {

std::string shape_of(const at::Tensor& tensor) {
  if (!tensor.defined()) return "undefined";
  std::string text;
  for (const std::int64_t size : tensor.sizes()) text += (text.empty() ? "[" : ", ") + std::to_string(size);
  return text.empty() ? "a scalar" : text + "]";
}

}  // namespace

at::ScalarType type_of(Precision precision) {
  constexpr at::ScalarType kTypes[] = {at::kFloat, at::kHalf, at::kBFloat16};
  return kTypes[static_cast<std::size_t>(precision)];
}

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

at::Tensor payload_of(const at::Tensor& output, std::size_t bytes) {
  const auto wanted = static_cast<std::int64_t>(bytes);
  const std::int64_t images = output.size(0);
  const std::int64_t each = images == 0 ? 0 : output.numel() / images;
  if (each == 0) return at::zeros({images, wanted}, output.options().dtype(at::kByte));
  const at::Tensor own = output.to(at::kFloat).contiguous().view({images, each}).view(at::kByte);
  const std::int64_t times = (wanted + own.size(1) - 1) / own.size(1);
  return own.repeat({1, times}).narrow(1, 0, wanted).contiguous();
}

DeviceError of_first_run(const DeviceError& error, const StagedModel& model, const DevicePlace& place) {
  if (error.fault() != DeviceFault::kComputeFailed) return error.at(place);
  const std::string shape =
      "[1, 3, " + std::to_string(model.input.height) + ", " + std::to_string(model.input.width) + "]" +
      (model.precision == Precision::kFp32 ? "" : std::string(" in ") + name_of(model.precision));
  return {DeviceFault::kComputeFailed,
          {place.device, place.model, 1},
          "on an input of " + shape + ": " + error.detail()};
}

std::vector<std::size_t> segment_begins(int exit_points, std::span<const TimeNs> stage_ns) {
  const std::size_t stages = stage_ns.size();
  const auto segments = static_cast<std::size_t>(exit_points) + 1;
  std::vector<double> until = {0};  // time of all stages before each stage
  for (const TimeNs ns : stage_ns) until.push_back(until.back() + static_cast<double>(ns));
  // best[s][e] is the least sum of squares of s segments that end before stage e; from[s][e] is the first
  // stage of the last of them.
  constexpr double kUnreached = std::numeric_limits<double>::infinity();
  std::vector<std::vector<double>> best(segments + 1, std::vector<double>(stages + 1, kUnreached));
  std::vector<std::vector<std::size_t>> from(segments + 1, std::vector<std::size_t>(stages + 1, 0));
  best[0][0] = 0;
  for (std::size_t s = 1; s <= segments; ++s) {
    for (std::size_t end = s; end <= stages; ++end) {
      for (std::size_t begin = s - 1; begin < end; ++begin) {
        const double last = until[end] - until[begin];
        const double sum = best[s - 1][begin] + last * last;
        if (sum >= best[s][end]) continue;
        best[s][end] = sum;
        from[s][end] = begin;
      }
    }
  }
  std::vector<std::size_t> begins = {stages};
  for (std::size_t s = segments; s > 0; --s) begins.push_back(from[s][begins.back()]);
  std::reverse(begins.begin(), begins.end());
  return begins;
}

std::vector<std::size_t> segment_begins(int exit_points, int stages) {
  return segment_begins(exit_points, std::vector<TimeNs>(static_cast<std::size_t>(stages), 1));
}

bool has_choice(int exit_points, const StagedModel& model) {
  return exit_points > 0 && exit_points + 1 < static_cast<int>(model.stages.size());
}

void run_segment(const StagedModel& model, const std::vector<std::size_t>& begins, int segment,
                 std::vector<at::Tensor>& state) {
  const auto begin = begins.begin() + segment;
  for (std::size_t stage = begin[0]; stage < begin[1]; ++stage) model.stages[stage](state);
}

}  // namespace harness

// A network as a chain of stages, between which a batch can stop.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "harness/core/types.h"
#include "harness/gpu/device/device_error.h"
#include "harness/gpu/device/model_source.h"
#include "harness/gpu/inputs/input_format.h"

namespace harness {

/// Turns the previous stage's output into the next stage's input: a stack of tensors whose first dimension is
/// the batch. The stack starts as {input} and ends as {output} (zoo/network.h).
using ModelStage = std::function<void(std::vector<at::Tensor>&)>;

/// A model before a device runs it. Copies share their weights.
struct StagedModel {
  std::vector<ModelStage> stages;          ///< stages, at least one
  InputFormat input;                       ///< input of the first stage
  std::vector<at::Tensor> weights;         ///< parameters and buffers, as the stages use them
  Precision precision = Precision::kFp32;  ///< precision of weights with fractions
  std::shared_ptr<const void> owner;       ///< object that the stages need, if they do not hold it themselves
};

/// Returns LibTorch's type for the precision.
at::ScalarType type_of(Precision precision);

/// Returns the bytes of all weights.
std::uint64_t bytes_of(const StagedModel& model);

/// Returns the number of exit points that the model runs with for `source`. Throws DeviceError if it has
/// fewer than asked for.
int exit_points_of(const StagedModel& model, const ModelSource& source, const DevicePlace& place);

/// Throws DeviceError if the output's first dimension is not the batch.
void check_output(const at::Tensor& output, std::size_t batch, const DevicePlace& place);

/// Returns BatchEnd::outputs for a batch's output, as one tensor of bytes on the output's device.
at::Tensor payload_of(const at::Tensor& output, std::size_t bytes);

/// Returns the DeviceError of the first run of a model on a device: a failed computation is reported for one
/// image, with the input's shape, because most such models do not take that shape.
DeviceError of_first_run(const DeviceError& error, const StagedModel& model, const DevicePlace& place);

/// Returns the first stage of each segment between exit points, then the number of stages. `exit_points` of
/// the places between the stages, which take `stage_ns` each, begin a segment: the places for which the mean
/// time until the next exit point, from any moment of a batch, is shortest (the sum of the squares of the
/// segments' times). Needs 0 <= exit_points < stages.
std::vector<std::size_t> segment_begins(int exit_points, std::span<const TimeNs> stage_ns);
/// Does the same for stages that take equally long.
std::vector<std::size_t> segment_begins(int exit_points, int stages);

/// True if it matters how long the stages take: there are exit points, and not at every place.
bool has_choice(int exit_points, const StagedModel& model);
/// The number of timed runs of all stages; each stage's best time counts.
inline constexpr int kStageTimings = 3;

/// Runs the segment's stages on the state that the segment before left. The result does not depend on the
/// exit points.
void run_segment(const StagedModel& model, const std::vector<std::size_t>& begins, int segment,
                 std::vector<at::Tensor>& state);

}  // namespace harness

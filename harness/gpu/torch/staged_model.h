// A network as a chain of stages, between which a batch can stop.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "harness/gpu/device/device.h"
#include "harness/gpu/inputs/assembly.h"

namespace harness {

/// Turns what the stage before left into what the next one needs: a stack of tensors whose first dimension is
/// the batch. It starts as {input} and ends as {output} (zoo/network.h).
using ModelStage = std::function<void(std::vector<at::Tensor>&)>;

/// A model before a device runs it. Copies share their weights.
struct StagedModel {
  std::vector<ModelStage> stages;          ///< at least one
  InputFormat input;                       ///< of the first stage
  std::vector<at::Tensor> weights;         ///< parameters and buffers, as the stages use them
  Precision precision = Precision::kFp32;  ///< of weights with fractions
  std::shared_ptr<const void> owner;  ///< what the stages need to live, if they do not hold it themselves
};

/// LibTorch's name for it.
at::ScalarType type_of(Precision precision);

/// Bytes of all weights.
std::uint64_t bytes_of(const StagedModel& model);

/// How many exit points the model runs with when `source` asks. Throws DeviceError when it has fewer.
int exit_points_of(const StagedModel& model, const ModelSource& source, const DevicePlace& place);

/// Refuses an output whose first dimension is not the batch. Throws DeviceError.
void check_output(const at::Tensor& output, std::size_t batch, const DevicePlace& place);

/// BatchEnd::outputs of a batch's output, as one tensor of bytes where the output is.
at::Tensor payload_of(const at::Tensor& output, std::size_t bytes);

/// A DeviceError of the first run of a model on a device: a failed computation is that of one image, and
/// names the input's shape, since that is what most such models do not take.
DeviceError of_first_run(const DeviceError& error, const StagedModel& model, const DevicePlace& place);

/// The first stage of each segment between exit points, then the number of stages. Of the places between the
/// stages, which take `stage_ns` each, `exit_points` begin a segment: those for which the mean time until the
/// next exit point, from any moment of a batch, is shortest (the sum of the squares of the segments' times).
/// Needs 0 <= exit_points < stages.
std::vector<std::size_t> segment_begins(int exit_points, std::span<const TimeNs> stage_ns);
/// For stages that take equally long.
std::vector<std::size_t> segment_begins(int exit_points, int stages);

/// Whether it matters how long the stages take: there are exit points, and not at every place.
bool has_choice(int exit_points, const StagedModel& model);
/// Runs of all stages, the best of which counts for each.
inline constexpr int kStageTimings = 3;

/// Runs the segment's stages on what the segment before left. What is computed does not depend on the exit
/// points.
void run_segment(const StagedModel& model, const std::vector<std::size_t>& begins, int segment,
                 std::vector<at::Tensor>& state);

}  // namespace harness

#include "harness/gpu/torch/cuda_segments.h"

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <algorithm>
#include <array>
#include <utility>

#include "harness/core/types.h"
#include "harness/gpu/cuda/cuda_check.h"
#include "harness/gpu/device/device_error.h"
#include "harness/gpu/device/graph_notes.h"
#include "harness/gpu/torch/cuda_error.h"
#include "harness/gpu/torch/graph_pool.h"

namespace harness {
namespace {

/// The number of runs before a capture. TorchScript optimises what its first runs saw; libraries choose their
/// algorithms, and CUDA loads kernels, at their first use, which a capture does not allow.
constexpr int kWarmUpRuns = 3;

void move_weights(StagedModel& model, c10::Device device) {
  for (at::Tensor& weight : model.weights) {
    if (weight.device() != device) weight.set_data(weight.to(device));
  }
}

std::vector<int> graph_sizes(const ModelSource& source) {
  std::vector<int> sizes = source.batches;
  for (int batch = 1; source.batches.empty() && batch <= source.max_batch; ++batch) sizes.push_back(batch);
  return sizes;
}

}  // namespace

CudaSegments::CudaSegments(StagedModel model, const ModelSource& source, const DevicePlace& place,
                           const Resources& resources)
    : resources_(resources), place_(place), model_(std::move(model)), output_bytes_(source.output_bytes) {
  max_batch_ = static_cast<std::size_t>(source.max_batch);
  const int points = exit_points_of(model_, source, place);
  begins_ = segment_begins(points, static_cast<int>(model_.stages.size()));
  check_format(model_.input);
  move_weights(model_, c10::Device(c10::kCUDA, resources.device));
  input_ = CudaBuffer(batch_elements(model_.input, max_batch_) * sizeof(float), "the batch of a model");
  cuda_check(cudaMemsetAsync(input_.data(), 0, input_.size(), resources.stream.get()), "cudaMemsetAsync",
             "clearing an input");
  run_first_batch();
  if (has_choice(points, model_)) begins_ = segment_begins(points, time_stages());
  captured_.resize(max_batch_);
  if (resources.graphs) prepare_sizes(graph_sizes(source));
  forget_state();
  resources_.stream.synchronize();
  c10::cuda::CUDACachingAllocator::emptyCache();  // frees the memory that the runs call by call needed
}

void CudaSegments::run_first_batch() {
  const c10::InferenceMode inference;
  try {
    warm_up(1);
  } catch (const DeviceError& error) {
    throw of_first_run(error, model_, place_);
  }
}

std::vector<TimeNs> CudaSegments::time_stages() {
  const c10::InferenceMode inference;
  warm_up(max_batch_);
  std::vector<TimeNs> best(model_.stages.size(), kNever);
  for (int run = 0; run < kStageTimings; ++run) {
    std::vector<CudaEvent> passed;
    for (std::size_t i = 0; i <= best.size(); ++i) passed.emplace_back(CudaEvent::Timing::kOn);
    passed[0].record(resources_.stream);
    with_torch_cuda_errors({}, [&] {
      state_ = {input_of(max_batch_)};
      for (std::size_t stage = 0; stage < best.size(); ++stage) {
        model_.stages[stage](state_);
        passed[stage + 1].record(resources_.stream);
      }
    });
    resources_.stream.synchronize();
    for (std::size_t stage = 0; stage < best.size(); ++stage) {
      const double ms = static_cast<double>(passed[stage + 1].ms_since(passed[stage]));
      best[stage] = std::min(best[stage], static_cast<TimeNs>(ms * static_cast<double>(kNsPerMs)));
    }
  }
  forget_state();
  return best;
}

void CudaSegments::prepare_sizes(const std::vector<int>& sizes) {
  const c10::InferenceMode inference;
  std::vector<RefusedSize> refused;
  // The largest size comes first: the others find room in the memory that it needed. In rising order each
  // size would need more memory of its own.
  for (auto size = sizes.rbegin(); size != sizes.rend(); ++size) {
    const auto batch = static_cast<std::size_t>(*size);
    try {
      warm_up(batch);
      capture_freeing_memory(batch);
    } catch (...) {
      const DeviceError error = caught_at({});
      if (error.fault() == DeviceFault::kDeviceLost) throw DeviceError(error);
      captured_[batch - 1] = {};
      forget_state();
      refused.insert(refused.begin(), {*size, error.what()});
    }
  }
  notes_ = graph_notes(sizes, refused);
}

void CudaSegments::forget_state() {
  state_.clear();
  kept_output_.reset();
  kept_payload_.reset();
}

void CudaSegments::capture_freeing_memory(std::size_t batch) {
  Captured& captured = captured_[batch - 1];
  try {
    capture(batch, captured);
  } catch (const DeviceError& error) {
    if (error.fault() != DeviceFault::kOutOfMemory) throw;
    // In a capture LibTorch does not give back the memory that it keeps for runs call by call.
    captured = {};
    forget_state();
    c10::cuda::CUDACachingAllocator::emptyCache();
    capture(batch, captured);
  }
}

void CudaSegments::warm_up(std::size_t batch) {
  for (int run = 0; run < kWarmUpRuns; ++run) {
    for (int segment = 0; segment < segments(); ++segment) run_stages_of(batch, segment);
  }
  resources_.stream.synchronize();
}

void CudaSegments::capture(std::size_t batch, Captured& captured) {
  with_torch_cuda_errors({}, [&] {
    const GraphPool::Use use(resources_.pool, resources_.stream.get());
    for (int segment = 0; segment < segments(); ++segment)
      captured.graphs.emplace_back(resources_.stream, [&] { run_stages_of(batch, segment); });
    captured.output = output_;
    forget_state();
  });
  for (const CudaGraph& graph : captured.graphs) graph.launch(resources_.stream);
  resources_.stream.synchronize();
}

at::Tensor CudaSegments::input_of(std::size_t batch) const {
  const std::array<std::int64_t, 4> shape{static_cast<std::int64_t>(batch), 3, model_.input.height,
                                          model_.input.width};
  const auto options = at::TensorOptions().dtype(at::kFloat).device(c10::kCUDA, resources_.device);
  return at::from_blob(input(), at::IntArrayRef(shape), options);
}

void CudaSegments::run_stages_of(std::size_t batch, int segment) {
  with_torch_cuda_errors({}, [&] {
    const c10::InferenceMode inference;
    if (segment == 0) state_ = {input_of(batch)};
    run_segment(model_, begins_, segment, state_);
    if (segment + 1 < segments()) return;
    check_output(state_.at(0), batch, {place_.device, place_.model, static_cast<int>(batch)});
    kept_output_ = state_[0].to(at::kFloat).contiguous();
    state_.clear();
    output_ = {kept_output_.data_ptr<float>(), static_cast<std::size_t>(kept_output_.numel())};
    if (output_bytes_ == 0) return;
    kept_payload_ = payload_of(kept_output_, output_bytes_);
    output_.payload = kept_payload_.data_ptr<std::uint8_t>();
    output_.payload_bytes = kept_payload_.nbytes();
  });
}

void CudaSegments::enqueue(std::size_t batch, int segment) {
  const Captured& captured = captured_[batch - 1];
  if (captured.graphs.empty()) {
    run_stages_of(batch, segment);
    return;
  }
  captured.graphs[static_cast<std::size_t>(segment)].launch(resources_.stream);
  output_ = captured.output;
}

}  // namespace harness

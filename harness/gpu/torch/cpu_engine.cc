#include "harness/gpu/torch/cpu_engine.h"

#include <ATen/Parallel.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/InferenceMode.h>
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "harness/gpu/torch/torch_error.h"
#include "harness/machine/steady_clock.h"

namespace harness {
namespace {

/// The number of runs before a model counts as loaded: TorchScript optimises what its first run saw.
constexpr int kWarmUpRuns = 2;

/// Throws EnvironmentError if LibTorch's OpenBLAS is built for one thread. Devices compute side by side, and
/// such an OpenBLAS shares its buffers among all threads: outputs are then sometimes wrong, without any
/// message.
void require_blas_for_threads() {
  void* blas = dlopen("libopenblas.so.0", RTLD_NOLOAD | RTLD_LAZY);
  if (blas == nullptr) return;
  void* parallel = dlsym(blas, "openblas_get_parallel");  // returns 0 if built for one thread
  const bool fit = parallel == nullptr || reinterpret_cast<int (*)()>(parallel)() != 0;
  dlclose(blas);
  if (!fit)
    throw EnvironmentError(
        "LibTorch's OpenBLAS is built for one thread: install libopenblas0-openmp (where several devices "
        "compute "
        "at once, its results are wrong)");
}

}  // namespace

CpuEngine::Loaded CpuEngine::make(const ModelSource& source, const DevicePlace& place) {
  StagedModel model = options_.models(source, place);
  std::vector<std::size_t> begins =
      segment_begins(exit_points_of(model, source, place), static_cast<int>(model.stages.size()));
  Assembler assembler(model.input);
  return {std::move(model), std::move(begins), std::move(assembler), source.output_bytes};
}

std::vector<TimeNs> CpuEngine::time_stages(const Loaded& loaded) {
  const c10::InferenceMode inference;
  std::vector<TimeNs> best(loaded.model.stages.size(), kNever);
  for (int run = 0; run < kStageTimings; ++run) {
    std::vector<at::Tensor> state = {input_of(loaded, 1)};
    for (std::size_t stage = 0; stage < best.size(); ++stage) {
      const TimeNs start_ns = steady_ns();
      loaded.model.stages[stage](state);
      best[stage] = std::min(best[stage], steady_ns() - start_ns);
    }
  }
  return best;
}

at::Tensor CpuEngine::input_of(const Loaded& loaded, std::size_t count) {
  const InputFormat& format = loaded.model.input;
  return at::from_blob(input_.data(), {static_cast<std::int64_t>(count), 3, format.height, format.width},
                       at::kFloat);
}

void CpuEngine::warm_up(const Loaded& loaded, const DevicePlace& place) {
  const c10::InferenceMode inference;
  std::fill_n(input_.begin(), batch_elements(loaded.model.input, 1), 0.0F);
  try {
    with_torch_errors(place, [&] {
      for (int run = 0; run < kWarmUpRuns; ++run) {
        std::vector<at::Tensor> state = {input_of(loaded, 1)};
        for (int i = 0; i < loaded.segments(); ++i) run_segment(loaded.model, loaded.begins, i, state);
        check_output(state.at(0), 1, place);
      }
    });
  } catch (const DeviceError& error) {
    throw of_first_run(error, loaded.model, place);
  }
}

int CpuEngine::load(const ModelSource& source, const DevicePlace& place) {
  return with_torch_errors(place, [&] {
    at::set_num_threads(options_.threads);
    require_blas_for_threads();
    Loaded loaded = make(source, place);
    const std::size_t values = batch_elements(loaded.model.input, static_cast<std::size_t>(source.max_batch));
    if (input_.size() < values) input_.resize(values);
    warm_up(loaded, place);
    const int points = loaded.segments() - 1;
    if (has_choice(points, loaded.model)) loaded.begins = segment_begins(points, time_stages(loaded));
    models_.push_back(std::move(loaded));
    return models_.back().segments() - 1;
  });
}

void CpuEngine::begin(int number, DeviceModel model, std::span<const Image> images) {
  slot(number) = {model, images, {}, {}, {}};
}

void CpuEngine::enqueue(int number, int segment) {
  Slot& one = slot(number);
  if (segment == 0) one.span.started_ns = steady_ns();
  with_torch_errors({}, [&] {
    const c10::InferenceMode inference;
    Loaded& loaded = models_[one.model];
    const std::size_t count = one.images.size();
    if (segment == 0) {
      const std::size_t values = batch_elements(loaded.model.input, count);
      loaded.assembler.assemble(one.images, std::span(input_).first(values));
      one.state = {input_of(loaded, count)};
    }
    run_segment(loaded.model, loaded.begins, segment, one.state);
    if (segment + 1 < loaded.segments()) return;
    check_output(one.state.at(0), count, {});
    if (loaded.output_bytes > 0) one.payload = payload_of(one.state[0], loaded.output_bytes);
  });
  one.span.ended_ns = steady_ns();
}

StoredTensor CpuEngine::hand_out(int number, std::uint64_t tag) {
  Slot& one = slot(number);
  if (options_.on_output) {
    with_torch_errors({}, [&] {
      const c10::InferenceMode inference;
      const at::Tensor values = one.state[0].to(at::kFloat).contiguous();
      options_.on_output(tag, {values.data_ptr<float>(), static_cast<std::size_t>(values.numel())});
    });
  }
  if (!one.payload.defined()) return {};
  auto owner = std::make_shared<at::Tensor>(std::move(one.payload));
  return {reinterpret_cast<std::byte*>(owner->data_ptr<std::uint8_t>()), owner->nbytes(), owner};
}

MemoryUse CpuEngine::memory() const {
  MemoryUse use;
  use.capacity_bytes =
      static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  use.input_bytes = input_.size() * sizeof(float);
  for (const Loaded& loaded : models_) use.model_bytes.push_back(bytes_of(loaded.model));
  return use;
}

}  // namespace harness

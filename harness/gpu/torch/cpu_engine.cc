#include "harness/gpu/torch/cpu_engine.h"

#include <ATen/Parallel.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/InferenceMode.h>
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "harness/gpu/torch/torch_error.h"

namespace harness {
namespace {

/// TorchScript optimises what its first run saw.
constexpr int kWarmUpRuns = 2;

/// Devices compute side by side. An OpenBLAS built for one thread shares its buffers among all: outputs are
/// then wrong now and then, without a word.
void require_blas_for_threads() {
  void* blas = dlopen("libopenblas.so.0", RTLD_NOLOAD | RTLD_LAZY);
  if (blas == nullptr) return;
  void* parallel = dlsym(blas, "openblas_get_parallel");  // 0: for one thread
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
  std::vector<bool> exits =
      spread_exit_points(exit_points_of(model, source, place), static_cast<int>(model.stages.size()));
  Assembler assembler(model.input);
  return {std::move(model), std::move(exits), std::move(assembler)};
}

at::Tensor CpuEngine::input_of(const Loaded& loaded, std::size_t count) {
  const InputFormat& format = loaded.model.input;
  return at::from_blob(input_.data(), {static_cast<std::int64_t>(count), 3, format.height, format.width},
                       at::kFloat);
}

void CpuEngine::warm_up(const Loaded& loaded, const DevicePlace& place) {
  const c10::InferenceMode inference;
  std::fill_n(input_.begin(), batch_elements(loaded.model.input, 1), 0.0F);
  const std::atomic<bool> stop = false;
  try {
    with_torch_errors(place, [&] {
      for (int run = 0; run < kWarmUpRuns; ++run)
        check_output(*run_stages(loaded.model, loaded.exits, input_of(loaded, 1), stop), 1, place);
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
    models_.push_back(std::move(loaded));
    const std::vector<bool>& exits = models_.back().exits;
    return static_cast<int>(std::count(exits.begin(), exits.end(), true));
  });
}

bool CpuEngine::run(const SubmittedBatch& batch) {
  return with_torch_errors(batch.place, [&] {
    const c10::InferenceMode inference;
    Loaded& loaded = models_[batch.model];
    const std::size_t pictures = batch.pictures.size();
    loaded.assembler.assemble(batch.pictures,
                              std::span(input_).first(batch_elements(loaded.model.input, pictures)));
    const std::optional<at::Tensor> output =
        run_stages(loaded.model, loaded.exits, input_of(loaded, pictures), batch.stop);
    if (!output) return false;
    check_output(*output, pictures, batch.place);
    if (options_.on_output) {
      const at::Tensor values = output->to(at::kFloat).contiguous();
      options_.on_output(batch.tag, {values.data_ptr<float>(), static_cast<std::size_t>(values.numel())});
    }
    return true;
  });
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

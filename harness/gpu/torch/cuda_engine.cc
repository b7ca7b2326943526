#include "harness/gpu/torch/cuda_engine.h"

#include <ATen/Context.h>
#include <ATen/cuda/CUDAContextLight.h>

#include <mutex>
#include <utility>

#include "harness/gpu/cuda/assemble_batch.h"
#include "harness/gpu/inputs/assembly.h"
#include "harness/gpu/torch/cuda_error.h"

namespace harness {
namespace {

/// Bytes of a batch of images of the network's own size.
std::size_t usual_bytes(const InputFormat& format, std::size_t batch) {
  const std::size_t image = batch_elements(format, 1);  // a byte a value
  return batch * (sizeof(StagedImage) + image + 16);
}

c10::cuda::CUDAStream torch_stream(const CudaStream& stream, c10::DeviceIndex device) {
  at::globalContext().lazyInitDevice(c10::DeviceType::CUDA);
  return c10::cuda::getStreamFromExternal(stream.get(), device);
}

std::mutex engines_mutex;
int engines = 0;  ///< in this process

}  // namespace

CudaEngine::Workspaces::Workspaces() {
  const std::lock_guard lock(engines_mutex);
  ++engines;
}

CudaEngine::Workspaces::~Workspaces() {
  const std::lock_guard lock(engines_mutex);
  if (--engines == 0) at::cuda::clearCublasWorkspaces();
}

CudaEngine::Current::Current(int index) {
  cuda_check(cudaSetDevice(index), "cudaSetDevice", "turning to a GPU");
}

CudaEngine::CudaEngine(TorchDeviceOptions options, std::string name, int index)
    : options_(std::move(options)),
      here_{std::move(name), "", 0},
      index_(static_cast<c10::DeviceIndex>(index)),
      current_(index),
      guard_(with_torch_cuda_errors(here_, [&] { return torch_stream(compute_, index_); })),
      pool_(index_) {}

CudaEngine::~CudaEngine() {
  // Failures of a lost device change nothing any more.
  cudaStreamSynchronize(copies_.get());
  cudaStreamSynchronize(compute_.get());
  cudaGetLastError();
}

int CudaEngine::load(const ModelSource& source, const DevicePlace& place) {
  return with_torch_cuda_errors(place, [&] {
    StagedModel model = options_.models(source, place);
    const AssemblyConstants constants = constants_of(model.input);
    const std::size_t bytes = usual_bytes(model.input, static_cast<std::size_t>(source.max_batch));
    auto segments = std::make_unique<CudaSegments>(
        std::move(model), source, place, CudaSegments::Place{compute_, pool_, index_, options_.graphs});
    for (Slot& one : slots_) one.inputs.reserve(bytes);
    for (const std::string& note : segments->notes()) notes_.push_back("model " + place.model + ", " + note);
    models_.push_back({std::move(segments), constants});
    return models_.back().segments->segments() - 1;
  });
}

MemoryUse CudaEngine::memory() const {
  MemoryUse use;
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  cuda_check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo", "reading the memory's size");
  use.capacity_bytes = total_bytes;
  for (const Slot& one : slots_) use.input_bytes += one.inputs.bytes();
  for (const Loaded& loaded : models_) {
    use.input_bytes += loaded.segments->input_bytes();
    use.model_bytes.push_back(loaded.segments->weight_bytes());
  }
  return use;
}

void CudaEngine::prepare(int number, DeviceModel model, const Image& image) {
  slot(number).inputs.prepare(model, models_[model].segments->max_batch(), image);
}

void CudaEngine::begin(int number, DeviceModel model, std::span<const Image> images) {
  Slot& one = slot(number);
  one.model = model;
  one.batch = images.size();
  one.outputs = 0;
  one.inputs.begin(model, models_[model].segments->max_batch(), images);
}

bool CudaEngine::copy_some(int number) { return slot(number).inputs.copy_some(copies_); }

void CudaEngine::start(Slot& one) {
  clock_.keep_current();
  one.reference = clock_.acquire();
  const Loaded& loaded = models_[one.model];
  one.inputs.wait_in(compute_);
  one.started.record(compute_);
  assemble_batch_cuda(one.inputs.table(), static_cast<int>(one.batch), loaded.constants,
                      loaded.segments->input(), compute_.get());
}

void CudaEngine::enqueue(int number, int segment) {
  Slot& one = slot(number);
  CudaSegments& segments = *models_[one.model].segments;
  try {
    if (segment == 0) start(one);
    segments.enqueue(one.batch, segment);
    if (segment + 1 == segments.segments() && options_.on_output) fetch_output(one);
    one.ended[static_cast<std::size_t>(segment) % 2].record(compute_);
  } catch (...) {
    // The batch fails, and its slot is the next one's: nothing of it may still run then.
    if (caught_at({}).fault() != DeviceFault::kDeviceLost) compute_.synchronize();
    throw;
  }
}

void CudaEngine::fetch_output(Slot& one) {
  const CudaOutput& output = models_[one.model].segments->output();
  const std::size_t bytes = output.count * sizeof(float);
  if (one.output.bytes().size() < bytes) one.output = PinnedBuffer(bytes, "outputs");
  cuda_check(cudaMemcpyAsync(one.output.bytes().data(), output.values, bytes, cudaMemcpyDeviceToHost,
                             compute_.get()),
             "cudaMemcpyAsync", "fetching outputs");
  one.outputs = output.count;
}

bool CudaEngine::passed(int number, int segment) {
  return slot(number).ended[static_cast<std::size_t>(segment) % 2].passed();
}

DeviceSpan CudaEngine::span(int number, int segments) {
  const Slot& one = slot(number);
  const CudaEvent& ended = one.ended[static_cast<std::size_t>(segments - 1) % 2];
  return {clock_.host_ns(*one.reference, one.started), clock_.host_ns(*one.reference, ended)};
}

void CudaEngine::hand_out(int number, std::uint64_t tag) {
  const Slot& one = slot(number);
  if (options_.on_output)
    options_.on_output(tag, {reinterpret_cast<const float*>(one.output.bytes().data()), one.outputs});
}

void CudaEngine::release(int number) {
  Slot& one = slot(number);
  if (one.reference) clock_.release(*one.reference);
  one.reference.reset();
  one.inputs.clear();
}

}  // namespace harness

#include "harness/gpu/cuda/cuda_engine.h"

#include <utility>

#include "harness/gpu/cuda/assemble_batch.h"
#include "harness/gpu/cuda/cuda_check.h"
#include "harness/machine/steady_clock.h"

namespace harness {
namespace {

/// Returns the bytes of a batch of images of the network's own size.
std::size_t usual_bytes(const InputFormat& format, std::size_t batch) {
  const std::size_t image = batch_elements(format, 1);  // one byte per value
  return batch * (sizeof(StagedImage) + image + 16);
}

}  // namespace

namespace {

constexpr const char* kLeftBehind = "what batches leave behind";

}  // namespace

CudaEngine::Current::Current(int index) { set_cuda_device(index, "turning to a GPU"); }

CudaEngine::CudaEngine(int index, const MakeModels& make, OnOutput on_output)
    : on_output_(std::move(on_output)), current_(index), source_(make(compute_)) {}

CudaEngine::~CudaEngine() {
  // Failures of a lost device do not matter any more.
  cudaStreamSynchronize(copies_.get());
  cudaStreamSynchronize(compute_.get());
  cudaGetLastError();
}

int CudaEngine::load(const ModelSource& source, const DevicePlace& place) {
  std::unique_ptr<CudaModel> model = source_->load(source, place);
  const AssemblyConstants constants = constants_of(model->format());
  const std::size_t bytes = usual_bytes(model->format(), model->max_batch());
  for (Slot& one : slots_) one.inputs.reserve(bytes);
  for (const std::string& note : model->notes()) notes_.push_back("model " + place.model + ", " + note);
  if (source.output_bytes > 0)
    payloads_.reserve(source.output_bytes, source.output_bytes * static_cast<std::size_t>(source.max_batch),
                      kLeftBehind);
  models_.push_back({std::move(model), constants});
  return models_.back().model->segments() - 1;
}

MemoryUse CudaEngine::memory() const {
  MemoryUse use;
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  cuda_check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo", "reading the memory's size");
  use.capacity_bytes = total_bytes;
  for (const Slot& one : slots_) use.input_bytes += one.inputs.bytes();
  for (const Loaded& loaded : models_) {
    use.input_bytes += loaded.model->input_bytes();
    use.model_bytes.push_back(loaded.model->weight_bytes());
  }
  return use;
}

void CudaEngine::prepare(int number, DeviceModel model, const Image& image) {
  slot(number).inputs.prepare(model, models_[model].model->max_batch(), image);
}

void CudaEngine::begin(int number, DeviceModel model, std::span<const Image> images) {
  Slot& one = slot(number);
  one.model = model;
  one.batch = images.size();
  one.outputs = 0;
  one.inputs.begin(model, models_[model].model->max_batch(), images);
}

bool CudaEngine::copy_some(int number) { return slot(number).inputs.copy_some(copies_); }

void CudaEngine::start(Slot& one) {
  clock_.keep_current();
  one.reference = clock_.acquire();
  const Loaded& loaded = models_[one.model];
  one.inputs.wait_in(compute_);
  one.started.record(compute_);
  assemble_batch_cuda(one.inputs.table(), static_cast<int>(one.batch), loaded.constants,
                      loaded.model->input(), compute_.get());
}

CudaEvent& CudaEngine::end_of(Slot& one, int segment) {
  if (segment + 1 == models_[one.model].model->segments()) return one.ended;
  return one.passed[static_cast<std::size_t>(segment) % 2];
}

void CudaEngine::enqueue(int number, int segment) {
  Slot& one = slot(number);
  CudaModel& model = *models_[one.model].model;
  try {
    if (segment == 0) start(one);
    model.enqueue(one.batch, segment);
    if (segment + 1 == model.segments()) {
      if (on_output_) fetch_output(one);
      fetch_payload(one);
    }
    end_of(one, segment).record(compute_);
  } catch (...) {
    // The batch fails and its slot goes to the next batch: by then nothing of this batch may still run.
    if (caught_at({}).fault() != DeviceFault::kDeviceLost) compute_.synchronize();
    throw;
  }
}

void CudaEngine::fetch_output(Slot& one) {
  const CudaModel::Output& output = models_[one.model].model->output();
  const std::size_t bytes = output.count * sizeof(float);
  if (one.output.bytes().size() < bytes) one.output = PinnedBuffer(bytes, "outputs");
  cuda_check(cudaMemcpyAsync(one.output.bytes().data(), output.values, bytes, cudaMemcpyDeviceToHost,
                             compute_.get()),
             "cudaMemcpyAsync", "fetching outputs");
  one.outputs = output.count;
}

void CudaEngine::fetch_payload(Slot& one) {
  const CudaModel::Output& output = models_[one.model].model->output();
  if (output.payload == nullptr) return;
  one.payload = payloads_.take(output.payload_bytes, kLeftBehind);
  one.payload_bytes = output.payload_bytes;
  cuda_check(cudaMemcpyAsync(one.payload->bytes().data(), output.payload, output.payload_bytes,
                             cudaMemcpyDeviceToHost, compute_.get()),
             "cudaMemcpyAsync", "fetching what a batch leaves behind");
}

bool CudaEngine::passed(int number, int segment) {
  Slot& one = slot(number);
  if (!end_of(one, segment).passed()) return false;
  one.seen_ns = steady_ns();
  return true;
}

DeviceSpan CudaEngine::span(int number, int segments) {
  const Slot& one = slot(number);
  const bool is_whole = segments == models_[one.model].model->segments();
  return {clock_.host_ns(*one.reference, one.started),
          is_whole ? clock_.host_ns(*one.reference, one.ended) : one.seen_ns};
}

StoredTensor CudaEngine::hand_out(int number, std::uint64_t tag) {
  Slot& one = slot(number);
  if (on_output_) on_output_(tag, {reinterpret_cast<const float*>(one.output.bytes().data()), one.outputs});
  if (one.payload == nullptr) return {};
  std::byte* const data = one.payload->bytes().data();
  return {data, one.payload_bytes, std::move(one.payload)};
}

void CudaEngine::release(int number) {
  Slot& one = slot(number);
  if (one.reference) clock_.release(*one.reference);
  one.reference.reset();
  one.payload.reset();
  one.inputs.clear();
}

}  // namespace harness

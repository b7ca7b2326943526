// Runs batches through models on a GPU.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/gpu/cuda/cuda_buffer.h"
#include "harness/gpu/cuda/cuda_clock.h"
#include "harness/gpu/cuda/cuda_inputs.h"
#include "harness/gpu/cuda/cuda_model.h"
#include "harness/gpu/cuda/pinned_pool.h"
#include "harness/gpu/device/stream_engine.h"
#include "harness/gpu/inputs/assembly_constants.h"

namespace harness {

/// Runs batches on one GPU. A compute stream runs all batches one after another, while a copy stream brings
/// the images of the next batch. One thread makes, uses and destroys the engine, which sets that thread's
/// current GPU.
///
/// The events between the segments of a batch have no timing: timing would slow down every batch, and only a
/// batch that stops early needs it. Such a batch counts as ended when the thread sees that it has stopped,
/// some microseconds later.
class CudaEngine final : public StreamEngine {
 public:
  /// Makes the models, which are to run on `compute`. Called once, when the GPU is current.
  using MakeModels = std::function<std::unique_ptr<CudaModels>(CudaStream& compute)>;
  /// Gets the outputs of a batch, as OutputSink does (torch_device_options.h); empty: outputs are dropped.
  using OnOutput = std::function<void(std::uint64_t tag, std::span<const float> values)>;

  /// Throws DeviceError.
  CudaEngine(int index, const MakeModels& make, OnOutput on_output);
  /// Waits for enqueued work.
  ~CudaEngine() override;

  int load(const ModelSource& source, const DevicePlace& place) override;
  MemoryUse memory() const override;
  std::vector<std::string> notes() const override { return notes_; }
  void prepare(int slot, DeviceModel model, const Image& image) override;
  void begin(int slot, DeviceModel model, std::span<const Image> images) override;
  bool copy_some(int slot) override;
  void enqueue(int slot, int segment) override;
  bool passed(int slot, int segment) override;
  DeviceSpan span(int slot, int segments) override;
  StoredTensor hand_out(int slot, std::uint64_t tag) override;
  void release(int slot) override;

 private:
  /// Makes the GPU this thread's current one.
  struct Current {
    explicit Current(int index);
  };
  struct Loaded {
    std::unique_ptr<CudaModel> model;
    AssemblyConstants constants;
  };
  struct Slot {
    CudaInputs inputs;
    DeviceModel model = 0;
    std::size_t batch = 0;
    CudaEvent started{CudaEvent::Timing::kOn};
    std::array<CudaEvent, 2> passed{
        CudaEvent(CudaEvent::Timing::kOff),
        CudaEvent(CudaEvent::Timing::kOff)};  ///< ends of even and odd segments, except the last
    CudaEvent ended{CudaEvent::Timing::kOn};  ///< end of the last segment
    TimeNs seen_ns = 0;                       ///< time at which a segment was last seen to have passed
    std::optional<int> reference;             ///< number of the clock's reference event; empty: none
    PinnedBuffer output;
    std::size_t outputs = 0;
    std::shared_ptr<PinnedBuffer> payload;
    std::size_t payload_bytes = 0;
  };

  Slot& slot(int number) { return slots_[static_cast<std::size_t>(number)]; }
  void start(Slot& one);
  void fetch_output(Slot& one);
  void fetch_payload(Slot& one);

  CudaEvent& end_of(Slot& one, int segment);

  OnOutput on_output_;
  Current current_;
  CudaStream compute_;
  CudaStream copies_;
  std::unique_ptr<CudaModels> source_;
  CudaClock clock_;
  std::vector<Loaded> models_;  ///< loaded models, by DeviceModel
  std::vector<std::string> notes_;
  PinnedPool payloads_;
  std::array<Slot, Device::kMaxOutstanding> slots_;
};

}  // namespace harness

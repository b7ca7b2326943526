// Batches through models on a GPU.
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
#include "harness/gpu/device/stream_engine.h"
#include "harness/gpu/inputs/assembly.h"

namespace harness {

/// Values on the device, one image's after another's.
struct CudaOutput {
  const float* values = nullptr;
  std::size_t count = 0;
  const std::uint8_t* payload = nullptr;  ///< what BatchEnd::outputs are copied from; null: none
  std::size_t payload_bytes = 0;
};

/// A loaded model, whose input the assembly fills. All on the device's thread; throws DeviceError, which need
/// not name model and batch.
class CudaModel {
 public:
  virtual ~CudaModel() = default;
  virtual const InputFormat& format() const = 0;
  virtual std::size_t max_batch() const = 0;
  /// One more than the exit points that it runs with.
  virtual int segments() const = 0;
  /// Of max_batch images, in the format.
  virtual float* input() const = 0;
  virtual std::size_t input_bytes() const = 0;
  virtual std::uint64_t weight_bytes() const = 0;
  /// As Device::notes(), without the model's name.
  virtual const std::vector<std::string>& notes() const = 0;

  /// Enqueues a segment of a batch, 0 first, in order.
  virtual void enqueue(std::size_t batch, int segment) = 0;
  /// Of the batch whose last segment was enqueued last; its values are there once that has passed, until the
  /// next batch's first segment.
  virtual const CudaOutput& output() const = 0;
};

/// Where the models of one engine come from; outlives them. On the device's thread.
class CudaModels {
 public:
  virtual ~CudaModels() = default;
  /// On the engine's compute stream. Throws DeviceError.
  virtual std::unique_ptr<CudaModel> load(const ModelSource& source, const DevicePlace& place) = 0;
};

/// One GPU: a compute stream, on which all batches run one after another, and a copy stream, which brings
/// their images over meanwhile. Made, used and destroyed by one thread, whose current GPU it sets.
///
/// Between the segments of a batch stand no events with timing: they would cost every batch, for a time that
/// only a batch that stopped needs. Its end is when the thread saw it stop, which is some microseconds later.
class CudaEngine final : public StreamEngine {
 public:
  /// Called once, with the GPU current and the stream on which the models are to run.
  using MakeModels = std::function<std::unique_ptr<CudaModels>(CudaStream& compute)>;
  /// As OutputSink; none: outputs are dropped.
  using OnOutput = std::function<void(std::uint64_t tag, std::span<const float> values)>;

  /// Throws DeviceError.
  CudaEngine(int index, const MakeModels& make, OnOutput on_output);
  /// Waits for what is enqueued.
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
  /// Makes the GPU this thread's.
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
        CudaEvent(CudaEvent::Timing::kOff)};  ///< even and odd segments, not the last
    CudaEvent ended{CudaEvent::Timing::kOn};  ///< the last segment
    TimeNs seen_ns = 0;                       ///< when a segment was last seen to have passed
    std::optional<int> reference;             ///< of the clock
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
  std::vector<Loaded> models_;  ///< by DeviceModel
  std::vector<std::string> notes_;
  PinnedPool payloads_;
  std::array<Slot, Device::kMaxOutstanding> slots_;
};

}  // namespace harness

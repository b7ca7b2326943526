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
#include "harness/gpu/device/stream_engine.h"
#include "harness/gpu/inputs/assembly.h"

namespace harness {

/// The output of a batch: values on the device, image by image.
struct CudaOutput {
  const float* values = nullptr;
  std::size_t count = 0;
  const std::uint8_t* payload = nullptr;  ///< source of BatchEnd::outputs; null: there are no such outputs
  std::size_t payload_bytes = 0;
};

/// A loaded model. The engine assembles images in its input. All functions are called on the device's thread.
/// They throw DeviceError, which need not name the model and the batch.
class CudaModel {
 public:
  virtual ~CudaModel() = default;
  virtual const InputFormat& format() const = 0;
  virtual std::size_t max_batch() const = 0;
  /// Returns one more than the number of exit points that it runs with.
  virtual int segments() const = 0;
  /// Returns the device memory of the input, which holds max_batch() images in format().
  virtual float* input() const = 0;
  virtual std::size_t input_bytes() const = 0;
  virtual std::uint64_t weight_bytes() const = 0;
  /// Returns the lines of Device::notes(), without the model's name.
  virtual const std::vector<std::string>& notes() const = 0;

  /// Enqueues a segment of a batch; segments come in order, 0 first.
  virtual void enqueue(std::size_t batch, int segment) = 0;
  /// Returns the output of the batch whose last segment was enqueued last. Its values are valid after that
  /// segment has passed and until the next batch's first segment runs.
  virtual const CudaOutput& output() const = 0;
};

/// The source of one engine's models; it outlives them. It is used on the device's thread.
class CudaModels {
 public:
  virtual ~CudaModels() = default;
  /// Loads a model that runs on the engine's compute stream. Throws DeviceError.
  virtual std::unique_ptr<CudaModel> load(const ModelSource& source, const DevicePlace& place) = 0;
};

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
  /// Gets the outputs of a batch, as OutputSink does (torch_device.h); empty: outputs are dropped.
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

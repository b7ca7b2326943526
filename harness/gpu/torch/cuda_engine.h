// Batches through LibTorch on a GPU.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/cuda/CUDAGuard.h>

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/gpu/cuda/cuda_buffer.h"
#include "harness/gpu/cuda/cuda_clock.h"
#include "harness/gpu/cuda/cuda_inputs.h"
#include "harness/gpu/device/stream_engine.h"
#include "harness/gpu/torch/cuda_segments.h"
#include "harness/gpu/torch/torch_device.h"

namespace harness {

/// One GPU: a compute stream, on which all batches run one after another, and a copy stream, which brings
/// their images over meanwhile. Made, used and destroyed by one thread, whose current GPU and LibTorch
/// stream it sets.
class CudaEngine final : public StreamEngine {
 public:
  /// options.models is set. Throws DeviceError.
  CudaEngine(TorchDeviceOptions options, std::string name, int index);
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
  void hand_out(int slot, std::uint64_t tag) override;
  void release(int slot) override;

 private:
  /// Makes the GPU this thread's.
  struct Current {
    explicit Current(int index);
  };
  /// What LibTorch keeps of cuBLAS's memory, by stream and for good (32 MiB on recent GPUs). The process's
  /// last engine gives it back, no earlier one: graphs of the others refer to it.
  struct Workspaces {
    Workspaces();
    ~Workspaces();
    Workspaces(const Workspaces&) = delete;
    Workspaces& operator=(const Workspaces&) = delete;
  };
  struct Loaded {
    std::unique_ptr<CudaSegments> segments;
    AssemblyConstants constants;
  };
  struct Slot {
    CudaInputs inputs;
    DeviceModel model = 0;
    std::size_t batch = 0;
    CudaEvent started{CudaEvent::Timing::kOn};
    std::array<CudaEvent, 2> ended{CudaEvent(CudaEvent::Timing::kOn),
                                   CudaEvent(CudaEvent::Timing::kOn)};  ///< of even and odd segments
    std::optional<int> reference;                                       ///< of the clock
    PinnedBuffer output;
    std::size_t outputs = 0;
  };

  Slot& slot(int number) { return slots_[static_cast<std::size_t>(number)]; }
  void start(Slot& one);
  void fetch_output(Slot& one);

  TorchDeviceOptions options_;
  DevicePlace here_;  ///< the device alone
  c10::DeviceIndex index_;
  Current current_;
  CudaStream compute_;
  CudaStream copies_;
  c10::cuda::CUDAStreamGuard guard_;
  CudaClock clock_;
  GraphPool pool_;
  Workspaces workspaces_;  ///< goes after the graphs, and before the pool, which gives back what is unused
  std::vector<Loaded> models_;  ///< by DeviceModel
  std::vector<std::string> notes_;
  std::array<Slot, Device::kMaxOutstanding> slots_;
};

}  // namespace harness

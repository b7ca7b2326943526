// CUDA streams and events that end with their owner.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>

namespace harness {

class CudaEvent;

/// A stream of the device current when it was made; does not synchronise with the default stream. Owned by
/// one thread. All throw DeviceError.
class CudaStream {
 public:
  CudaStream();
  cudaStream_t get() const { return stream_.get(); }
  /// What is enqueued here later starts after `event`'s last record.
  void wait_for(const CudaEvent& event);
  /// Blocks until all that is enqueued has ended; for loading and tests.
  void synchronize();

 private:
  struct Destroy {
    void operator()(cudaStream_t stream) const { cudaStreamDestroy(stream); }
  };
  std::unique_ptr<CUstream_st, Destroy> stream_;
};

/// A point in a stream's work, asked for without blocking. All throw DeviceError.
class CudaEvent {
 public:
  enum class Timing { kOff, kOn };

  /// Without timing, records and queries are cheaper.
  explicit CudaEvent(Timing timing);
  cudaEvent_t get() const { return event_.get(); }
  void record(const CudaStream& stream);
  /// Whether the stream has passed the last record; true before any. Throws what the work before it failed
  /// with.
  bool passed() const;
  /// Milliseconds from `start` to this one, both with timing and passed; resolution 0.5 us.
  float ms_since(const CudaEvent& start) const;

 private:
  struct Destroy {
    void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
  };
  std::unique_ptr<CUevent_st, Destroy> event_;
};

}  // namespace harness

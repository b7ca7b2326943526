// CUDA streams and events that end with their owner.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>

namespace harness {

class CudaEvent;

/// A stream of the device that was current when it was made; it does not synchronise with the default stream.
/// It is owned by one thread. All functions throw DeviceError.
class CudaStream {
 public:
  CudaStream();
  cudaStream_t get() const { return stream_.get(); }
  /// Makes work that is enqueued here later wait for `event`'s last record.
  void wait_for(const CudaEvent& event);
  /// Blocks until all enqueued work has ended; for loading and tests.
  void synchronize();

 private:
  struct Destroy {
    void operator()(cudaStream_t stream) const { cudaStreamDestroy(stream); }
  };
  std::unique_ptr<CUstream_st, Destroy> stream_;
};

/// A point in a stream's work, which can be queried without blocking. All functions throw DeviceError.
class CudaEvent {
 public:
  enum class Timing { kOff, kOn };

  /// Makes an event; without timing, records and queries are cheaper.
  explicit CudaEvent(Timing timing);
  cudaEvent_t get() const { return event_.get(); }
  void record(const CudaStream& stream);
  /// True if the stream has passed the last record, or if there was no record. Throws the error of the work
  /// before it, if that failed.
  bool passed() const;
  /// Blocks until the stream has passed the last record; throws likewise.
  void wait() const;
  /// Returns the milliseconds from `start` to this event, both with timing and passed; the resolution is 0.5
  /// us.
  float ms_since(const CudaEvent& start) const;

 private:
  struct Destroy {
    void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
  };
  std::unique_ptr<CUevent_st, Destroy> event_;
};

}  // namespace harness

// CUDA streams and events that end with their owner.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
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
  /// Blocks until it has; throws likewise.
  void wait() const;
  /// Milliseconds from `start` to this one, both with timing and passed; resolution 0.5 us.
  float ms_since(const CudaEvent& start) const;

 private:
  struct Destroy {
    void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
  };
  std::unique_ptr<CUevent_st, Destroy> event_;
};

// Work of a stream, recorded once and launched as one.

/// An instantiated CUDA graph. The buffers that the recorded work names stay as long as it is launched.
class CudaGraph {
 public:
  /// Runs `enqueue`, whose work on `stream` (and on streams it makes wait for it, and it for them) is
  /// recorded instead of run. Work that a capture cannot hold (synchronous calls, memory from cudaMalloc)
  /// fails it: throws DeviceError, or what `enqueue` threw; the stream is as before and nothing has run.
  CudaGraph(CudaStream& stream, const std::function<void()>& enqueue);

  /// Enqueues all of it on `stream`. Throws DeviceError.
  void launch(const CudaStream& stream) const;

 private:
  struct Destroy {
    void operator()(cudaGraphExec_t graph) const { cudaGraphExecDestroy(graph); }
  };
  std::unique_ptr<CUgraphExec_st, Destroy> graph_;
};

}  // namespace harness

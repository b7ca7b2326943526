#include "harness/gpu/cuda/cuda_stream.h"

#include "harness/gpu/cuda/cuda_check.h"

namespace harness {

CudaStream::CudaStream() {
  cudaStream_t stream = nullptr;
  cuda_check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags",
             "making a stream");
  stream_.reset(stream);
}

void CudaStream::wait_for(const CudaEvent& event) {
  cuda_check(cudaStreamWaitEvent(get(), event.get(), 0), "cudaStreamWaitEvent", "ordering two streams");
}

void CudaStream::synchronize() {
  cuda_check(cudaStreamSynchronize(get()), "cudaStreamSynchronize", "waiting for a stream");
}

CudaEvent::CudaEvent(Timing timing) {
  cudaEvent_t event = nullptr;
  const unsigned flags = timing == Timing::kOn ? cudaEventDefault : cudaEventDisableTiming;
  cuda_check(cudaEventCreateWithFlags(&event, flags), "cudaEventCreateWithFlags", "making an event");
  event_.reset(event);
}

void CudaEvent::record(const CudaStream& stream) {
  cuda_check(cudaEventRecord(get(), stream.get()), "cudaEventRecord", "marking a point of a stream");
}

bool CudaEvent::passed() const {
  const cudaError_t status = cudaEventQuery(get());
  if (status == cudaErrorNotReady) return false;
  cuda_check(status, "cudaEventQuery", "asking whether a stream passed a point");
  return true;
}

void CudaEvent::wait() const {
  cuda_check(cudaEventSynchronize(get()), "cudaEventSynchronize", "waiting until a stream passed a point");
}

float CudaEvent::ms_since(const CudaEvent& start) const {
  float ms = 0;
  cuda_check(cudaEventElapsedTime(&ms, start.get(), get()), "cudaEventElapsedTime",
             "reading the time between events");
  return ms;
}

}  // namespace harness

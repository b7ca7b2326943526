// The functions of CUDA's runtime that the project calls, over the fake's state.
#include "harness/gpu/cuda/test_fake_cuda_runtime.h"

namespace harness::fake_cuda {
namespace {

cudaError_t refuse_in_capture() {
  if (capturing == nullptr) return cudaSuccess;
  capturing->capture_broke = true;
  return cudaErrorStreamCaptureUnsupported;
}

bool is_idle(int device) {
  return std::ranges::all_of(runtime.streams, [device](const CUstream_st* stream) {
    return stream->device != device || stream->queue.empty();
  });
}

}  // namespace
}  // namespace harness::fake_cuda

using namespace harness::fake_cuda;  // NOLINT: the functions below are this file's end

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  *count = kDevices;
  return call("cudaGetDeviceCount", kHost, done);
}

cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= kDevices)
    return call("cudaSetDevice", kHost, [] { return cudaErrorInvalidDevice; });
  return call("cudaSetDevice", device, [device] {
    current_device = device;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDevice(int* device) {
  *device = current_device;
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) { return cudaDriverGetVersion(version); }

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* gpu, int) {
  *gpu = {};
  std::strncpy(gpu->name, "Fake GPU", sizeof gpu->name - 1);
  gpu->major = 9;
  gpu->multiProcessorCount = 1;
  gpu->totalGlobalMem = kDeviceBytes;
  return call("cudaGetDeviceProperties", kHost, done);
}

cudaError_t cudaDeviceGetPCIBusId(char* bus_id, int size, int device) {
  const std::string made = "0000:0" + std::to_string(device) + ":00.0";
  std::strncpy(bus_id, made.c_str(), static_cast<std::size_t>(size));
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  *free_bytes = *total_bytes = kDeviceBytes;
  return call("cudaMemGetInfo", current_device, done);
}

const char* cudaGetErrorName(cudaError_t error) {
  return error == cudaErrorMemoryAllocation ? "cudaErrorMemoryAllocation" : "cudaErrorOfTheFake";
}

const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaErrorMemoryAllocation ? "out of memory" : "an error of the fake runtime";
}

cudaError_t cudaGetLastError() { return std::exchange(last_error, cudaSuccess); }

cudaError_t cudaMalloc(void** data, std::size_t bytes) {
  return call("cudaMalloc", current_device, [&] {
    const cudaError_t refused = refuse_in_capture();
    return refused != cudaSuccess ? refused : allocate(data, current_device, bytes);
  });
}

cudaError_t cudaHostAlloc(void** data, std::size_t bytes, unsigned) {
  return call("cudaHostAlloc", current_device, [&] { return allocate(data, kHost, bytes); });
}

cudaError_t cudaFree(void* data) {
  if (data == nullptr) return cudaSuccess;
  {
    const std::unique_lock lock(runtime.mutex);
    const std::shared_ptr<Block> block = block_of(data);
    const int device = block ? block->device : current_device;
    wait_until([device] { return is_idle(device); });
  }
  return ending("cudaFree", current_device, [data] { deallocate(data); });
}

cudaError_t cudaFreeHost(void* data) {
  return ending("cudaFreeHost", current_device, [data] {
    const std::shared_ptr<Block> block = block_of(data);
    // A lost device has nothing under way, but its streams' threads may have to take note of that.
    if (block && is_lost_now(current_device)) wait_until([&] { return block->queued == 0; });
    deallocate(data);
  });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  *pool = nullptr;
  return call("cudaDeviceGetDefaultMemPool", device, done);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) {
  return call("cudaMemPoolSetAttribute", kHost, done);
}

cudaError_t cudaMallocAsync(void** data, std::size_t bytes, cudaStream_t stream) {
  return call("cudaMallocAsync", stream->device, [&] {
    const cudaError_t error = allocate(data, stream->device, bytes, false);
    if (error != cudaSuccess) return error;
    const std::shared_ptr<Block> block = block_of(*data);
    const auto run = [block] {
      locked([&block] { block->is_ready = true; });
      return cudaSuccess;
    };
    return add(stream, {"cudaMallocAsync", {*data}, run, {}, false});
  });
}

cudaError_t cudaFreeAsync(void* data, cudaStream_t stream) {
  return ending("cudaFreeAsync", stream->device, [&] {
    const auto run = [data] {
      locked([data] { deallocate(data); });
      return cudaSuccess;
    };
    add(stream, {"cudaFreeAsync", {}, run, {}, true});
  });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  const auto run = [=] {
    const bool writes_device = kind == cudaMemcpyHostToDevice;
    const bool reads_device = kind == cudaMemcpyDeviceToHost;
    for (const void* end : {static_cast<const void*>(to), from}) {
      bool is_block = false;
      locked([&] { is_block = block_of(end) != nullptr; });
      const bool on_device = (end == to && writes_device) || (end == from && reads_device);
      if ((is_block || on_device) && !is_usable(end, bytes)) return cudaErrorIllegalAddress;
    }
    std::memcpy(to, from, bytes);
    return cudaSuccess;
  };
  return enqueue("cudaMemcpyAsync", stream, {to, from}, run);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  return call("cudaStreamCreateWithFlags", current_device, [stream] {
    *stream = new CUstream_st;
    (*stream)->device = current_device;
    (*stream)->thread = std::thread(run_stream, *stream);
    runtime.streams.insert(*stream);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const int device = stream->device;
  locked([stream] {  // the thread ends once the queued work has ended
    runtime.held.reset();
    stream->closes = true;
  });
  stream->thread.join();
  return ending("cudaStreamDestroy", device, [stream] {
    runtime.streams.erase(stream);
    delete stream;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return call("cudaStreamSynchronize", stream->device, [stream] {
    const cudaError_t refused = stream->capture != nullptr ? refuse_in_capture() : cudaSuccess;
    if (refused != cudaSuccess) return refused;
    wait_until([stream] { return stream->queue.empty(); });
    return lost_error(stream->device);
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return call("cudaStreamWaitEvent", stream->device, [&] {
    const std::shared_ptr<EventState> state = event->state;
    const std::uint64_t recorded = state->recorded;
    const auto is_ready = [state, recorded] { return state->passed >= recorded; };
    return add(stream, {"cudaStreamWaitEvent", {}, done, is_ready, false});
  });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return call("cudaEventCreateWithFlags", current_device, [&] {
    *event = new CUevent_st{current_device, std::make_shared<EventState>()};
    (*event)->state->has_timing = (flags & cudaEventDisableTiming) == 0;
    ++runtime.others;
    return cudaSuccess;
  });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return ending("cudaEventDestroy", event->device, [event] {
    --runtime.others;
    delete event;
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return call("cudaEventRecord", stream->device, [&] {
    const std::shared_ptr<EventState> state = event->state;
    const std::uint64_t record = ++state->recorded;
    stream->timed_records += state->has_timing ? 1 : 0;
    const auto run = [state, record] {
      locked([&] {
        state->passed = record;
        state->at = std::chrono::steady_clock::now();
      });
      return cudaSuccess;
    };
    return add(stream, {"cudaEventRecord", {}, run, {}, true});
  });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return call("cudaEventQuery", event->device, [event] {
    return event->state->passed == event->state->recorded ? cudaSuccess : cudaErrorNotReady;
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return call("cudaEventSynchronize", event->device, [event] {
    const std::uint64_t recorded = event->state->recorded;
    wait_until([&] { return event->state->passed >= recorded; });
    return lost_error(event->device);
  });
}

cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) {
  return call("cudaEventElapsedTime", end->device, [&] {
    if (!start->state->has_timing || !end->state->has_timing) return cudaErrorInvalidResourceHandle;
    if (start->state->passed < start->state->recorded || end->state->passed < end->state->recorded)
      return cudaErrorNotReady;
    *ms = std::chrono::duration<float, std::milli>(end->state->at - start->state->at).count();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  return call("cudaStreamBeginCapture", stream->device, [stream] {
    stream->capture = new CUgraph_st;
    stream->capture_broke = false;
    capturing = stream;
    ++runtime.others;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  bool broke = false;
  locked([&] {  // even if it returns an error, the capture is over
    capturing = nullptr;
    *graph = std::exchange(stream->capture, nullptr);
    broke = stream->capture_broke;
  });
  const cudaError_t error = call("cudaStreamEndCapture", stream->device,
                                 [&] { return broke ? cudaErrorStreamCaptureInvalidated : cudaSuccess; });
  if (error != cudaSuccess) cudaGraphDestroy(std::exchange(*graph, nullptr));
  return error;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* ready, cudaGraph_t graph, unsigned long long) {
  return call("cudaGraphInstantiate", current_device, [&] {
    *ready = new CUgraphExec_st{graph->works};
    ++runtime.others;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t stream) {
  return call("cudaGraphUpload", stream->device, done);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
  return call("cudaGraphLaunch", stream->device, [&] {
    for (const Work& work : graph->works) push(stream, work);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return ending("cudaGraphDestroy", kHost, [graph] {
    --runtime.others;
    delete graph;
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
  return ending("cudaGraphExecDestroy", kHost, [graph] {
    --runtime.others;
    delete graph;
  });
}

}  // extern "C"

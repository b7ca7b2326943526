// A CUDA runtime for tests on machines without a GPU: two devices whose memory is the host's and whose
// streams are threads. It needs only CUDA's headers.
//
// It proves order and lifetimes (no work runs before the work that it waits for, no memory is freed while
// work that names it is queued, guards around each block are whole, nothing is left behind), what the code
// does with each error, and, under the sanitizers, shows races between the host and the memory that streams
// read and write. It does not prove anything about time, about what a real capture refuses beyond the few
// calls that are refused here, about kernels as compiled for a GPU, or about two processes on one machine.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace harness::fake_cuda {

inline constexpr int kDevices = 2;
inline constexpr std::size_t kDeviceBytes = std::size_t{1} << 30;  ///< size of each device's memory

// Functions for tests, which any thread may call.

/// Restores the state after the start of the process; all objects must have been destroyed. Returns what went
/// wrong since the last reset, a line each: a guard overwritten, memory freed while work named it, something
/// left behind.
std::vector<std::string> reset();
/// Makes a call of the function `name` fail with this error once, after `skip` calls that succeed. The name
/// of a kernel makes its launch fail; "NAME runs" makes the work fail that the call or kernel enqueued, which
/// loses the device.
void fail(std::string_view name, cudaError_t error, int skip = 0);
/// Makes the device fall off: all its queued work ends undone, and each call that touches it returns this
/// error.
void lose(int device, cudaError_t error = cudaErrorECCUncorrectable);
/// Makes streams start no more work (or no work of that name) until release(), or until the host has to wait
/// for a stream, an event or a device.
void hold(std::string_view name = "");
void release();
/// Returns the number of calls of the function so far.
int calls(std::string_view name);
/// Returns the names of all functions that have been called, in order.
std::vector<std::string> called();
/// Returns the number of records of events with timing on the stream so far.
int timed_records(cudaStream_t stream);
/// Returns the number of blocks, streams, events and graphs that exist.
std::size_t alive();

// Functions for kernels' host versions, and for the fake of NCCL.

/// True if `bytes` bytes from `data` on lie in one block that exists and that the stream may use now.
bool is_usable(const void* data, std::size_t bytes);
/// Enqueues work, which runs once `is_ready` has returned true; `is_ready` is called under the runtime's
/// lock, and not again after that (null: the work is ready at once). `names` is the memory that the work
/// uses. An error that `run` returns loses the device.
cudaError_t enqueue(std::string_view name, cudaStream_t stream, std::vector<const void*> names,
                    std::function<cudaError_t()> run, std::function<bool()> is_ready = {});
/// Runs `change` under the runtime's lock; all streams then check again whether they are ready.
void locked(const std::function<void()>& change);
bool is_lost(int device);

}  // namespace harness::fake_cuda

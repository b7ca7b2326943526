// A CUDA runtime for tests on machines without a GPU: two devices whose memory is the host's and whose
// streams are threads. It needs CUDA's headers and nothing else of it.
//
// What it proves: order and lifetimes (nothing runs before what it waits for, no memory goes while work that
// names it is queued, guards around each block are whole, nothing is left behind), what the code does with
// each error, and, under the sanitizers, races between the host and what streams read and write.
// What it does not prove: anything about time, about what a real capture refuses beyond the few calls that
// are refused here, about kernels as compiled for a GPU, or about two processes on one machine.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace harness::fake_cuda {

inline constexpr int kDevices = 2;
inline constexpr std::size_t kDeviceBytes = std::size_t{1} << 30;  ///< of each device's memory

// For tests. Any thread.

/// As after the start of the process, once all that was made has been destroyed. Returns what went wrong
/// since the last reset, a line each: a guard overwritten, memory freed while work named it, something left
/// behind.
std::vector<std::string> reset();
/// The call of that name fails with this error once, after `skip` calls of it that do not. The name of a
/// kernel makes its launch fail; "NAME runs" what the call or kernel enqueued, which loses the device.
void fail(std::string_view name, cudaError_t error, int skip = 0);
/// The device falls off: all that is queued there ends undone, and each call that touches it has this error.
void lose(int device, cudaError_t error = cudaErrorECCUncorrectable);
/// Streams start nothing more, or nothing of that name, until release() or until the host has to wait for a
/// stream, an event or a device.
void hold(std::string_view name = "");
void release();
/// Calls of the function so far.
int calls(std::string_view name);
/// All functions that have been called, in order of their names.
std::vector<std::string> called();
/// Records of events with timing on the stream so far.
int timed_records(cudaStream_t stream);
/// Blocks, streams, events and graphs that exist.
std::size_t alive();

// For kernels' host versions, and for the fake of NCCL.

/// Where `bytes` bytes from `data` on stand in one block that exists and that the stream may use now.
bool is_usable(const void* data, std::size_t bytes);
/// Enqueues work: it runs once `is_ready` (under the runtime's lock; null: at once) says so, which it is not
/// asked again then. `names`: memory that it uses. An error that `run` returns loses the device.
cudaError_t enqueue(std::string_view name, cudaStream_t stream, std::vector<const void*> names,
                    std::function<cudaError_t()> run, std::function<bool()> is_ready = {});
/// Runs under the runtime's lock; all streams then look again whether they are ready.
void locked(const std::function<void()>& change);
bool is_lost(int device);

}  // namespace harness::fake_cuda

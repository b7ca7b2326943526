// The state that the parts of the fake CUDA runtime share, and the beginning and end of every call.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "harness/gpu/cuda/test_fake_cuda.h"

namespace harness::fake_cuda {

constexpr int kHost = -1;
#ifdef __SANITIZE_ADDRESS__
constexpr std::size_t kGuardBytes = 0;  ///< no guards: the sanitizer's own report the access itself
#else
constexpr std::size_t kGuardBytes = 256;  ///< size of the guards before and behind each block
#endif
constexpr std::align_val_t kAlignment{256};
constexpr std::byte kGuard{0xA5};
constexpr std::byte kUnset{0xFF};  ///< byte of memory that is not set; floats of it are NaN

/// Memory of a device, or page-locked memory of the host.
class Block {
 public:
  Block(int of_device, std::size_t of_bytes, bool can_be_used)
      : device(of_device),
        bytes(of_bytes),
        is_ready(can_be_used),
        whole_(new (kAlignment) std::byte[size()]) {
    std::memset(whole_.get(), static_cast<int>(kGuard), size());
    std::memset(data(), static_cast<int>(kUnset), bytes);
  }
  std::byte* data() const { return whole_.get() + kGuardBytes; }
  bool holds(const void* from, std::size_t count) const {
    const auto begin = reinterpret_cast<std::uintptr_t>(data());
    const auto at = reinterpret_cast<std::uintptr_t>(from);
    return at >= begin && at + count <= begin + bytes;
  }
  bool is_whole() const {
    const auto is_guard = [](std::byte byte) { return byte == kGuard; };
    return std::all_of(whole_.get(), data(), is_guard) &&
           std::all_of(data() + bytes, whole_.get() + size(), is_guard);
  }

  int device;
  std::size_t bytes;
  bool is_ready;   ///< true if the stream has passed the point from which it may be used
  int queued = 0;  ///< number of queued works that name it

 private:
  struct Free {
    void operator()(std::byte* data) const { ::operator delete[](data, kAlignment); }
  };
  std::size_t size() const { return bytes + 2 * kGuardBytes; }
  std::unique_ptr<std::byte[], Free> whole_;
};

using Blocks = std::vector<std::shared_ptr<Block>>;

struct Work {
  std::string name;
  std::vector<const void*> names;
  std::function<cudaError_t()> run;
  std::function<bool()> is_ready;
  bool always = false;  ///< true if it runs also on a lost device
};

struct EventState {
  bool has_timing = false;
  std::uint64_t recorded = 0;
  std::uint64_t passed = 0;
  std::chrono::steady_clock::time_point at;
};

}  // namespace harness::fake_cuda

// NOLINTBEGIN(readability-identifier-naming): the runtime's names
struct CUstream_st {
  int device = 0;
  /// Queued work, of which the first is running.
  std::deque<std::pair<harness::fake_cuda::Work, harness::fake_cuda::Blocks>> queue;
  bool closes = false;
  CUgraph_st* capture = nullptr;
  bool capture_broke = false;
  int timed_records = 0;
  std::thread thread;
};
struct CUevent_st {
  int device = 0;
  std::shared_ptr<harness::fake_cuda::EventState> state;
};
struct CUgraph_st {
  std::vector<harness::fake_cuda::Work> works;
};
struct CUgraphExec_st {
  std::vector<harness::fake_cuda::Work> works;
};
// NOLINTEND(readability-identifier-naming)

namespace harness::fake_cuda {

struct Failure {
  cudaError_t error = cudaSuccess;
  int skip = 0;
};

struct Runtime {
  std::recursive_mutex mutex;  ///< guards everything; work runs without it
  std::condition_variable_any changed;
  std::map<const void*, std::shared_ptr<Block>> blocks;
  std::set<CUstream_st*> streams;
  std::size_t others = 0;           ///< number of events and graphs
  std::optional<std::string> held;  ///< name of held work; empty: all work is held
  std::array<cudaError_t, kDevices> lost{};
  std::map<std::string, Failure, std::less<>> failures;
  std::map<std::string, int, std::less<>> calls;
  std::vector<std::string> faults;
};
extern Runtime& runtime;

inline thread_local int current_device = 0;
inline thread_local cudaError_t last_error = cudaSuccess;
inline thread_local CUstream_st* capturing = nullptr;  ///< stream whose work this thread captures

// Functions to be called under the runtime's lock.
cudaError_t take_failure(std::string_view name);
inline cudaError_t& lost_error(int device) { return runtime.lost[static_cast<std::size_t>(device)]; }
inline bool is_lost_now(int device) { return lost_error(device) != cudaSuccess; }
std::shared_ptr<Block> block_of(const void* data);
cudaError_t allocate(void** data, int device, std::size_t bytes, bool is_ready = true);
void deallocate(const void* data);
/// The function of a stream's thread: runs the queued work.
void run_stream(CUstream_st* stream);
void push(CUstream_st* stream, const Work& work);
/// Does the same, or adds the work to the graph that the stream records.
cudaError_t add(CUstream_st* stream, Work work);

inline cudaError_t done() { return cudaSuccess; }

/// Carries out a call of the runtime: counts it, and runs `body` unless a test wants it to fail or the device
/// is lost.
template <typename Body>
cudaError_t call(const char* name, int device, const Body& body) {
  const std::unique_lock lock(runtime.mutex);
  ++runtime.calls[name];
  cudaError_t error = take_failure(name);
  if (error == cudaSuccess && device != kHost) error = lost_error(device);
  if (error == cudaSuccess) error = body();
  if (error != cudaSuccess && error != cudaErrorNotReady) last_error = error;
  return error;
}

/// Carries out a call that ends something; `body` runs even if the call returns an error.
template <typename Body>
cudaError_t ending(const char* name, int device, const Body& body) {
  const std::unique_lock lock(runtime.mutex);
  body();
  return call(name, device, done);
}

/// Blocks the host until `done`; if it must wait, held streams go on. The runtime's lock must be held exactly
/// once.
template <typename Done>
void wait_until(const Done& done) {
  if (done()) return;
  runtime.held.reset();
  runtime.changed.notify_all();
  runtime.changed.wait(runtime.mutex, done);
}

}  // namespace harness::fake_cuda

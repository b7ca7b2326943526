// What NVIDIA's driver tells: its version, a GPU's clocks, and what slows it down while something is
// measured.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace harness {

// Which driver NVIDIA's GPUs of this machine have.

/// "580.95.05", as the kernel module tells it; "" where there is none, or it tells nothing. Reads below
/// `root`: "/" outside of tests.
std::string nvidia_driver_version(const std::string& root = "/");

/// One look at a GPU that had work.
struct GpuClockLook {
  unsigned mhz = 0;           ///< of the multiprocessors
  std::uint64_t reasons = 0;  ///< why it is not more: bits of NVML's nvmlClocksEventReasons
};

/// What a reader of timings taken meanwhile should know, a line each: "GPU clock 1980 MHz (least 1755) of at
/// most 1980", "GPU slowed down by its power limit in 35 % of 120 looks". `most_mhz` 0: not known.
std::vector<std::string> gpu_clock_notes(const std::vector<GpuClockLook>& looks, unsigned most_mhz);

/// Looks at one GPU's clocks four times a second, in a thread of its own, from its construction on. Through
/// NVML, the driver's library, which is loaded at run time. The constructor, notes() and the destructor on
/// one thread.
class GpuClockWatch {
 public:
  /// `bus_id` as CUDA tells it, "0000:1A:00.0". Another `library` than the driver's: tests.
  explicit GpuClockWatch(const std::string& bus_id, const std::string& library = "libnvidia-ml.so.1");
  ~GpuClockWatch();
  GpuClockWatch(const GpuClockWatch&) = delete;
  GpuClockWatch& operator=(const GpuClockWatch&) = delete;

  /// gpu_clock_notes() of the looks so far, or one line that says why the clocks are not visible.
  std::vector<std::string> notes();

 private:
  /// NVML's functions, by the names and types of its header.
  struct Library {
    int (*init)() = nullptr;
    int (*shut_down)() = nullptr;
    int (*device_of)(const char* bus_id, void** device) = nullptr;
    int (*clock)(void* device, unsigned kind, unsigned* mhz) = nullptr;
    int (*most_clock)(void* device, unsigned kind, unsigned* mhz) = nullptr;
    int (*reasons)(void* device, unsigned long long* reasons) = nullptr;
  };

  /// Why there is nothing to look at; empty: all well.
  std::string open(const std::string& bus_id, const std::string& library);
  void look();
  void watch();

  Library nvml_;
  void* device_ = nullptr;
  unsigned most_mhz_ = 0;
  std::string why_;  ///< after what open() sets

  std::mutex mutex_;  ///< of the next two
  std::vector<GpuClockLook> looks_;
  bool over_ = false;
  std::condition_variable changed_;
  std::thread thread_;
};

}  // namespace harness

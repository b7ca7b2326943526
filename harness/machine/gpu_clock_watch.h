// A GPU's clocks, from NVIDIA's driver, and the reasons why it is slowed down during a measurement.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace harness {

struct GpuClockLook;

/// Looks at one GPU's clocks four times a second, in a thread of its own, from its construction on. It uses
/// NVML, the driver's library, which it loads at run time. The constructor, notes() and the destructor must
/// be called on one thread.
class GpuClockWatch {
 public:
  /// `bus_id` has CUDA's form, "0000:1A:00.0". `library` is the driver's library outside of tests.
  explicit GpuClockWatch(const std::string& bus_id, const std::string& library = "libnvidia-ml.so.1");
  ~GpuClockWatch();
  GpuClockWatch(const GpuClockWatch&) = delete;
  GpuClockWatch& operator=(const GpuClockWatch&) = delete;

  /// Returns gpu_clock_notes() for the looks so far, or one line that says why the clocks are not visible.
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

  /// Loads the library and finds the GPU. Returns the reason if that fails, else "".
  std::string open(const std::string& bus_id, const std::string& library);
  void look();
  void watch();

  Library nvml_;
  void* device_ = nullptr;
  unsigned most_mhz_ = 0;
  std::string why_;  ///< result of open(); declared after the members that open() sets

  std::mutex mutex_;  ///< guards the next two members
  std::vector<GpuClockLook> looks_;
  bool over_ = false;
  std::condition_variable changed_;
  std::thread thread_;
};

/// One look at a GPU that had work.
struct GpuClockLook {
  unsigned mhz = 0;           ///< clock of the multiprocessors
  std::uint64_t reasons = 0;  ///< reasons why it is not higher: bits of NVML's nvmlClocksEventReasons
};

/// Returns notes for a reader of timings taken during the looks, a line each: "GPU clock 1980 MHz (least
/// 1755) of at most 1980", "GPU slowed down by its power limit in 35 % of 120 looks". `most_mhz` is the
/// largest possible clock; 0: not known.
std::vector<std::string> gpu_clock_notes(const std::vector<GpuClockLook>& looks, unsigned most_mhz);

}  // namespace harness

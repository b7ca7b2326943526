// Notices a device that computes without end. Models of users are programs: one may never return, and a
// thread that runs it cannot be stopped, only the process.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "harness/core/types.h"
#include "harness/gpu/device/device_error.h"

namespace harness {

/// What a device computes now. Written by the device's thread, read by any.
class DeviceActivity {
 public:
  struct Task {
    DevicePlace place;    ///< batch 0: the model is being loaded and tried
    TimeNs since_ns = 0;  ///< of steady_ns(); 0: nothing
  };

  void begin(const DevicePlace& place, std::size_t batch);
  void end();
  Task task() const;

 private:
  mutable std::mutex mutex_;
  Task task_;
};

/// Ends the process when a device computes for too long, or goes on although the user wants to stop: then
/// whoever waits for it would never notice.
class DeviceWatch {
 public:
  static constexpr TimeNs kLongestTaskNs = 600 * kNsPerS;
  /// After a cell's limit, for loading a model, which the limit does not count.
  static constexpr TimeNs kLoadingNs = 60 * kNsPerS;
  /// After a cell's limit, and after a signal: until then the run may end by itself.
  static constexpr TimeNs kGraceNs = 5 * kNsPerS;

  struct Rules {
    double cell_limit_s = 0;  ///< and kGraceNs or kLoadingNs: for a batch, a load; 0: kLongestTaskNs
    /// Throws when the user wants to stop. Any thread.
    std::function<void()> check_signal = {};
    /// Is told why, and does not return outside of tests: prints it and exits with 3.
    std::function<void(const std::string&)> end = end_process;
    TimeNs look_ns = kNsPerS / 10;  ///< between two looks
  };

  DeviceWatch(std::vector<std::shared_ptr<const DeviceActivity>> devices, Rules rules);
  DeviceWatch(const DeviceWatch&) = delete;
  DeviceWatch& operator=(const DeviceWatch&) = delete;
  ~DeviceWatch();

  /// Why the process is to end at `now_ns`; empty: it goes on. Call it at rising times.
  std::string why_to_end(TimeNs now_ns);

 private:
  static void end_process(const std::string& why);
  void look_again_and_again();

  std::vector<std::shared_ptr<const DeviceActivity>> devices_;
  Rules rules_;
  TimeNs asked_ns_ = 0;  ///< since when the user wants to stop; 0: does not
  std::mutex mutex_;
  std::condition_variable closing_asked_;
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace harness

// Ends the process if a device computes without end. Models of users are programs: one may never return, and
// the thread that runs it cannot be stopped, only the process can.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "harness/core/types.h"
#include "harness/gpu/device/device_activity.h"

namespace harness {

/// Ends the process if a device computes for too long, or goes on although the user wants to stop: a thread
/// that waits for the device would never notice.
class DeviceWatch {
 public:
  static constexpr TimeNs kLongestTaskNs = 600 * kNsPerS;
  /// The time beyond a cell's limit that loading a model may take; the limit does not count loading.
  static constexpr TimeNs kLoadingNs = 60 * kNsPerS;
  /// The time beyond a cell's limit, and after a signal, in which the run may end by itself.
  static constexpr TimeNs kGraceNs = 5 * kNsPerS;

  struct Rules {
    double cell_limit_s = 0;  ///< limit of the cell, to which kGraceNs is added for a batch and kLoadingNs
                              ///< for a load; 0: both may take kLongestTaskNs
    /// Throws if the user wants to stop. Any thread may call it.
    std::function<void()> check_signal = {};
    /// Gets the reason. Prints it and exits with 3; returns only in tests.
    std::function<void(const std::string&)> end = end_process;
    TimeNs look_ns = kNsPerS / 10;  ///< time between two looks
  };

  DeviceWatch(std::vector<std::shared_ptr<const DeviceActivity>> devices, Rules rules);
  DeviceWatch(const DeviceWatch&) = delete;
  DeviceWatch& operator=(const DeviceWatch&) = delete;
  ~DeviceWatch();

  /// Returns why the process must end at `now_ns`; empty if it may go on. Call it at rising times.
  std::string why_to_end(TimeNs now_ns);

 private:
  static void end_process(const std::string& why);
  void look_again_and_again();

  std::vector<std::shared_ptr<const DeviceActivity>> devices_;
  Rules rules_;
  TimeNs asked_ns_ = 0;  ///< time since when the user wants to stop; 0: the user does not
  std::mutex mutex_;
  std::condition_variable closing_asked_;
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace harness

// Waiting for a device in a program that has nothing else to do.
#pragma once

#include <condition_variable>
#include <mutex>

#include "harness/core/types.h"
#include "harness/gpu/device/device.h"

namespace harness {

/// The clock of a device's times, and ways to wait on it; tests replace it by virtual time.
class DeviceWait {
 public:
  virtual ~DeviceWait() = default;
  DeviceWait(const DeviceWait&) = delete;
  DeviceWait& operator=(const DeviceWait&) = delete;

  /// Returns the time on the clock of BatchEnd's times.
  virtual TimeNs now_ns() const = 0;
  virtual void sleep_until(TimeNs time_ns) = 0;
  /// Returns when the device has called its Wake since the last call, or at `deadline_ns`.
  virtual void wait_for_device(TimeNs deadline_ns) = 0;

 protected:
  DeviceWait() = default;
};

/// Waits on the wall clock. It must outlive the device that has its wake().
class SteadyWait final : public DeviceWait {
 public:
  /// Returns the function that the device calls; any thread may call it.
  Device::Wake wake();

  TimeNs now_ns() const override;
  void sleep_until(TimeNs time_ns) override;
  void wait_for_device(TimeNs deadline_ns) override;

 private:
  std::mutex mutex_;
  std::condition_variable woken_;
  bool is_woken_ = false;
};

}  // namespace harness

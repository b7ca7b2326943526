// What a device computes now, for the watch over it.
#pragma once

#include <cstddef>
#include <mutex>

#include "harness/core/types.h"
#include "harness/gpu/device/device_error.h"

namespace harness {

/// The task that a device computes now. The device's thread writes it, any thread may read it.
class DeviceActivity {
 public:
  struct Task {
    DevicePlace place;    ///< place of the task; batch 0: the model is being loaded and tried
    TimeNs since_ns = 0;  ///< start by steady_ns(); 0: the device computes nothing
  };

  void begin(const DevicePlace& place, std::size_t batch);
  void end();
  Task task() const;

 private:
  mutable std::mutex mutex_;
  Task task_;
};

}  // namespace harness

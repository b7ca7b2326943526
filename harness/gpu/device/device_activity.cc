#include "harness/gpu/device/device_activity.h"

#include "harness/machine/steady_clock.h"

namespace harness {

void DeviceActivity::begin(const DevicePlace& place, std::size_t batch) {
  const std::lock_guard lock(mutex_);
  task_.place = place;
  task_.place.batch = static_cast<int>(batch);
  task_.since_ns = steady_ns();
}

void DeviceActivity::end() {
  const std::lock_guard lock(mutex_);
  task_.since_ns = 0;
}

DeviceActivity::Task DeviceActivity::task() const {
  const std::lock_guard lock(mutex_);
  return task_;
}

}  // namespace harness

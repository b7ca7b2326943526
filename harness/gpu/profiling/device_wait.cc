#include "harness/gpu/profiling/device_wait.h"

#include <chrono>
#include <thread>

#include "harness/machine/steady_clock.h"

namespace harness {
namespace {

std::chrono::steady_clock::time_point point_of(TimeNs time_ns) {
  return std::chrono::steady_clock::time_point(std::chrono::nanoseconds(time_ns));
}

}  // namespace

Device::Wake SteadyWait::wake() {
  return [this] {
    const std::scoped_lock lock(mutex_);
    is_woken_ = true;
    woken_.notify_one();
  };
}

TimeNs SteadyWait::now_ns() const { return steady_ns(); }

void SteadyWait::sleep_until(TimeNs time_ns) { std::this_thread::sleep_until(point_of(time_ns)); }

void SteadyWait::wait_for_device(TimeNs deadline_ns) {
  std::unique_lock lock(mutex_);
  woken_.wait_until(lock, point_of(deadline_ns), [this] { return is_woken_; });
  is_woken_ = false;
}

}  // namespace harness

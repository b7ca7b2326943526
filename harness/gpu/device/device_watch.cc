#include "harness/gpu/device/device_watch.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <utility>

#include "harness/core/param_list.h"
#include "harness/gpu/device/device_error.h"
#include "harness/machine/steady_clock.h"

namespace harness {

DeviceWatch::DeviceWatch(std::vector<std::shared_ptr<const DeviceActivity>> devices, Rules rules)
    : devices_(std::move(devices)), rules_(std::move(rules)), thread_([this] { look_again_and_again(); }) {}

DeviceWatch::~DeviceWatch() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  closing_asked_.notify_one();
  thread_.join();
}

void DeviceWatch::end_process(const std::string& why) {
  constexpr int kEnvironmentFailed = 3;  // README.md, exit codes
  std::fprintf(stderr, "harness: %s\n", why.c_str());
  std::fflush(stderr);
  std::_Exit(kEnvironmentFailed);
}

void DeviceWatch::look_again_and_again() {
  std::unique_lock lock(mutex_);
  while (
      !closing_asked_.wait_for(lock, std::chrono::nanoseconds(rules_.look_ns), [this] { return closing_; })) {
    const std::string why = why_to_end(steady_ns());
    if (!why.empty()) return rules_.end(why);
  }
}

std::string DeviceWatch::why_to_end(TimeNs now_ns) {
  std::string wish;
  try {
    if (rules_.check_signal) rules_.check_signal();
  } catch (const std::exception& stop) {
    wish = stop.what();
    if (asked_ns_ == 0) asked_ns_ = now_ns;
  }
  const bool has_own = rules_.cell_limit_s > 0;
  const auto limit_ns = [&](const DeviceActivity::Task& task) {
    return has_own ? s_to_ns(rules_.cell_limit_s) + (task.place.batch == 0 ? kLoadingNs : kGraceNs)
                   : kLongestTaskNs;
  };
  for (const std::shared_ptr<const DeviceActivity>& device : devices_) {
    const DeviceActivity::Task task = device->task();
    if (task.since_ns == 0) continue;
    if (!wish.empty() && now_ns - asked_ns_ >= kGraceNs) return wish;
    if (now_ns - task.since_ns < limit_ns(task)) continue;
    return DeviceError(
               DeviceFault::kComputeFailed, task.place,
               std::string(task.place.batch == 0 ? "loading and trying it" : "it") + " has not ended for " +
                   std::to_string((now_ns - task.since_ns) / kNsPerS) + " s, beyond " +
                   (has_own ? "cell_limit_s = " + text_of(rules_.cell_limit_s) : "what any batch may take") +
                   "; a model that runs cannot be stopped, so the program ends")
        .what();
  }
  return "";
}

}  // namespace harness

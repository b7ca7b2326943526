#include "harness/gpu/device/device_clock.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>

#include "harness/core/check.h"

namespace harness {

int DeviceClock::spare() const {
  for (int i = 0; i < kReferences; ++i) {
    if (i != current_ && references_[static_cast<std::size_t>(i)].users == 0) return i;
  }
  HARNESS_CHECK(false, "all references of a device's clock are in use");
  return 0;
}

void DeviceClock::renew(const Bracket& bracket, std::optional<double> since_ms) {
  HARNESS_CHECK(since_ms.has_value() == (current_ >= 0), "a reference is told from the current one");
  TimeNs error_ns = bracket.error_ns();
  if (since_ms && *since_ms < kIdleMs)
    error_ns += std::abs(host_ns(current_, *since_ms) - bracket.middle_ns());
  error_ns_ = std::max(error_ns_, error_ns);
  const int made = spare();
  references_[static_cast<std::size_t>(made)].bracket = bracket;
  current_ = made;
  due_ns_ = bracket.after_ns + kRenewNs + 1;
}

int DeviceClock::acquire() {
  HARNESS_CHECK(current_ >= 0, "a device's clock without a reference");
  ++references_[static_cast<std::size_t>(current_)].users;
  return current_;
}

void DeviceClock::release(int reference) { --references_[static_cast<std::size_t>(reference)].users; }

TimeNs DeviceClock::host_ns(int reference, double since_ms) const {
  return references_[static_cast<std::size_t>(reference)].bracket.middle_ns() +
         static_cast<TimeNs>(std::llround(since_ms * static_cast<double>(kNsPerMs)));
}

DeviceSpan possible_span(const DeviceSpan& told, TimeNs earliest_ns, TimeNs latest_ns) {
  const TimeNs latest = std::max(earliest_ns, latest_ns);
  const TimeNs started = std::clamp(told.started_ns, earliest_ns, latest);
  return {started, std::clamp(told.ended_ns, started, latest)};
}

}  // namespace harness

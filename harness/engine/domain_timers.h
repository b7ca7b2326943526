// The timer of each queue domain: the earliest wake-up asked for stands.
#pragma once

#include <vector>

#include "harness/engine/event_queue.h"

namespace harness {

/// Pushes events of one kind with the domain as index.
class DomainTimers {
 public:
  DomainTimers(EventQueue& events, std::uint32_t kind) : events_(events), kind_(kind) {}

  void wake_at(DomainId domain, TimeNs at_ns) {
    if (due_.size() <= domain) due_.resize(domain + 1, kNever);
    if (at_ns >= due_[domain]) return;
    due_[domain] = at_ns;
    events_.push(at_ns, kind_, domain);
  }
  /// Whether the event due at `at_ns` is the one that stands; then there is none any more.
  bool take(DomainId domain, TimeNs at_ns) {
    if (due_[domain] != at_ns) return false;  // an earlier wake-up was asked for since
    due_[domain] = kNever;
    return true;
  }

 private:
  EventQueue& events_;
  std::uint32_t kind_;
  std::vector<TimeNs> due_;  ///< by domain: kNever if it has none
};

}  // namespace harness

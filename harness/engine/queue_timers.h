// The timers of the queues: each keeps the earliest wake-up asked for.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/core/types.h"
#include "harness/engine/event_queue.h"

namespace harness {

/// The timers of all queues, as events of one kind with the queue as index.
class QueueTimers {
 public:
  QueueTimers(EventQueue& events, std::uint32_t kind) : events_(events), kind_(kind) {}

  void wake_at(QueueId queue, TimeNs at_ns) {
    if (due_.size() <= queue) due_.resize(queue + 1, kNever);
    if (at_ns >= due_[queue]) return;
    due_[queue] = at_ns;
    events_.push(at_ns, kind_, queue);
  }
  /// True if the event due at `at_ns` is the queue's current wake-up, which is then over.
  bool take(QueueId queue, TimeNs at_ns) {
    if (due_[queue] != at_ns) return false;  // an earlier wake-up was asked for since
    due_[queue] = kNever;
    return true;
  }

 private:
  EventQueue& events_;
  std::uint32_t kind_;
  std::vector<TimeNs> due_;  ///< wake-up of each queue; kNever: it has no wake-up
};

}  // namespace harness

// A queue and a running batch as one list (SHEPHERD, Algorithm 2, line 7).
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "harness/core/types.h"
#include "harness/serving/deadline_queue.h"
#include "systems/shepherd/flex_visit.h"

namespace harness {

/// Two lists in deadline order seen as one: a queue and a running batch (Algorithm 2, line 7). At equal
/// deadlines the queue's visits come first.
struct MergedVisits {
  std::span<const FlexVisit> queued;
  std::span<const FlexVisit> running;

  /// Returns the number of visits due at `deadline_ns` or later.
  int count_from(TimeNs deadline_ns) const {
    return static_cast<int>(queued.size() - first_due_from(queued, deadline_ns) + running.size() -
                            first_due_from(running, deadline_ns));
  }
  /// True if count_from(deadline_ns) >= size. Needs `size` >= 1.
  bool has_from(TimeNs deadline_ns, int size) const {
    const auto wanted = static_cast<std::size_t>(size);
    if (queued.size() + running.size() < wanted) return false;
    if (running.empty()) return queued[queued.size() - wanted].deadline_ns >= deadline_ns;
    return count_from(deadline_ns) >= size;
  }
  /// Returns the earliest deadline at or after `deadline_ns`, or kNever if all are earlier.
  TimeNs deadline_from(TimeNs deadline_ns) const {
    const std::size_t q = first_due_from(queued, deadline_ns), r = first_due_from(running, deadline_ns);
    return std::min(q < queued.size() ? queued[q].deadline_ns : kNever,
                    r < running.size() ? running[r].deadline_ns : kNever);
  }
};

}  // namespace harness

// The largest batch that ends in time (SHEPHERD section 5.2 and appendix C, Algorithm 2).
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "harness/core/profile.h"
#include "harness/core/types.h"
#include "harness/serving/deadline_queue.h"

namespace harness {

/// Which visits, in deadline order, may make a batch. A batch is feasible when it ends by the earliest
/// deadline in it.
enum class FlexBatch {
  kPrefix,  ///< from the first that can still be served on, as Algorithm 2 is written
  kSkip     ///< early ones that would make it smaller are left out: the largest of all feasible batches
};

/// A visit in a queue or in a batch.
struct FlexVisit {
  TimeNs deadline_ns = 0;
  VisitId id = 0;
  bool held = false;  ///< in a batch: it does not run yet, but waits for its worker to be free
};

/// Latencies of one model for batches of 1..cap().
class FlexLatency {
 public:
  /// `cap` in 1..profile.max_batch().
  FlexLatency(const Profile& profile, int cap)
      : latency_ns_(profile.latency_ns.begin(), profile.latency_ns.begin() + cap), least_ns_(latency_ns_) {
    for (std::size_t i = least_ns_.size() - 1; i > 0; --i) {
      least_ns_[i - 1] = std::min(least_ns_[i - 1], least_ns_[i]);
    }
  }

  int cap() const { return static_cast<int>(latency_ns_.size()); }
  TimeNs of(int batch) const { return latency_ns_[static_cast<std::size_t>(batch - 1)]; }
  /// The least latency of the batches of `batch` and more: never falls with the batch size, as latencies may.
  TimeNs least_from(int batch) const { return least_ns_[static_cast<std::size_t>(batch - 1)]; }
  /// The least latency of all.
  TimeNs least() const { return least_ns_.front(); }
  /// The largest batch of at most `most` whose latency is within `budget_ns`; 0 if there is none.
  int largest_within(TimeNs budget_ns, int most) const {
    const auto past = std::upper_bound(least_ns_.begin(), least_ns_.end(), budget_ns);
    int batch = std::min(static_cast<int>(past - least_ns_.begin()), most);
    while (batch > 0 && of(batch) > budget_ns) --batch;
    return batch;
  }

 private:
  std::vector<TimeNs> latency_ns_;
  std::vector<TimeNs> least_ns_;
};

/// Two lists in deadline order seen as one: a queue and what runs (Algorithm 2, line 7). At equal deadlines
/// the queue comes first.
struct MergedVisits {
  std::span<const FlexVisit> queued;
  std::span<const FlexVisit> running;

  /// How many are due at `deadline_ns` or later.
  int count_from(TimeNs deadline_ns) const {
    return static_cast<int>(queued.size() - first_due_from(queued, deadline_ns) + running.size() -
                            first_due_from(running, deadline_ns));
  }
  /// Whether those are `size` or more, which is at least 1.
  bool has_from(TimeNs deadline_ns, int size) const {
    const auto wanted = static_cast<std::size_t>(size);
    if (queued.size() + running.size() < wanted) return false;
    if (running.empty()) return queued[queued.size() - wanted].deadline_ns >= deadline_ns;
    return count_from(deadline_ns) >= size;
  }
  /// The earliest deadline at or after `deadline_ns`; kNever if there is none.
  TimeNs deadline_from(TimeNs deadline_ns) const {
    const std::size_t q = first_due_from(queued, deadline_ns), r = first_due_from(running, deadline_ns);
    return std::min(q < queued.size() ? queued[q].deadline_ns : kNever,
                    r < running.size() ? running[r].deadline_ns : kNever);
  }
};

/// A batch as a choice among visits in deadline order: the first `size` of those due at `from_ns` or later.
struct FeasibleBatch {
  int size = 0;
  TimeNs from_ns = 0;
};

/// Whether `size` visits might make a batch that ends in time when started at `now`: exact where latencies
/// grow with the batch size, otherwise never false by mistake. O(log n), where
/// nothing runs O(1).
inline bool may_fill(const MergedVisits& visits, const FlexLatency& latency, TimeNs now, int size) {
  return visits.has_from(now + latency.least_from(size), size);
}

/// FlexBatch::kSkip: the most visits that can be served together from `now` on and, of those that can be
/// served in a batch of that size, the ones with the earliest deadlines. O(log cap log n).
inline FeasibleBatch largest_skipping(const MergedVisits& visits, const FlexLatency& latency, TimeNs now) {
  // A batch of b needs b visits due at now + latency(b) or later; with least_from() in place of latency()
  // what holds for b holds for everything below.
  int low = 0;
  int high = std::min(latency.cap(), visits.count_from(now + latency.least()));
  if (high > 0 && may_fill(visits, latency, now, high)) low = high;
  while (low < high) {
    const int middle = low + (high - low + 1) / 2;
    if (may_fill(visits, latency, now, middle)) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  while (low > 0 && !visits.has_from(now + latency.of(low), low)) --low;
  return low > 0 ? FeasibleBatch{low, now + latency.of(low)} : FeasibleBatch{};
}

/// FlexBatch::kPrefix: from the earliest deadline that any batch can meet, as many as that deadline allows.
/// O(log cap + log n) where latencies grow with the batch size.
inline FeasibleBatch largest_prefix(const MergedVisits& visits, const FlexLatency& latency, TimeNs now) {
  TimeNs from_ns = now + latency.least();
  while (true) {
    from_ns = visits.deadline_from(from_ns);
    if (from_ns == kNever) return {};
    const int size = latency.largest_within(from_ns - now, visits.count_from(from_ns));
    if (size > 0) return {size, from_ns};
    ++from_ns;
  }
}

inline FeasibleBatch largest_batch(FlexBatch rule, const MergedVisits& visits, const FlexLatency& latency,
                                   TimeNs now) {
  return rule == FlexBatch::kSkip ? largest_skipping(visits, latency, now)
                                  : largest_prefix(visits, latency, now);
}

}  // namespace harness

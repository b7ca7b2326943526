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

/// The rule that says which visits, in deadline order, may make a batch. A batch is feasible if it ends by
/// the earliest deadline in it.
enum class FlexBatch {
  kPrefix,  ///< consecutive visits from the first that can still be served on, as Algorithm 2 is written
  kSkip     ///< any visits: early ones that would make the batch smaller are left out
};

/// A visit in a queue or in a batch.
struct FlexVisit {
  TimeNs deadline_ns = 0;
  VisitId id = 0;
  bool held = false;  ///< the visit is in a batch that does not run yet, but waits for its worker to be free
};

/// The latencies of one model for batches of 1..cap().
class FlexLatency {
 public:
  /// Needs `cap` in 1..profile.max_batch().
  FlexLatency(const Profile& profile, int cap)
      : latency_ns_(profile.latency_ns.begin(), profile.latency_ns.begin() + cap), least_ns_(latency_ns_) {
    for (std::size_t i = least_ns_.size() - 1; i > 0; --i) {
      least_ns_[i - 1] = std::min(least_ns_[i - 1], least_ns_[i]);
    }
  }

  int cap() const { return static_cast<int>(latency_ns_.size()); }
  TimeNs of(int batch) const { return latency_ns_[static_cast<std::size_t>(batch - 1)]; }
  /// Returns the least latency of the batches of `batch` or more visits. It never falls with the batch size,
  /// as latencies themselves may.
  TimeNs least_from(int batch) const { return least_ns_[static_cast<std::size_t>(batch - 1)]; }
  /// Returns the least latency of all batches.
  TimeNs least() const { return least_ns_.front(); }
  /// Returns the largest batch of at most `most` visits whose latency is within `budget_ns`, or 0.
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

/// A batch as a choice among visits in deadline order: the first `size` of the visits due at `from_ns` or
/// later.
struct FeasibleBatch {
  int size = 0;
  TimeNs from_ns = 0;
};

/// True if `size` visits might make a batch that ends in time when started at `now`. Exact if latencies grow
/// with the batch size; otherwise it may be true by mistake, but never false. O(log n); O(1) if nothing runs.
inline bool may_fill(const MergedVisits& visits, const FlexLatency& latency, TimeNs now, int size) {
  return visits.has_from(now + latency.least_from(size), size);
}

/// FlexBatch::kSkip: returns the largest number of visits that can be served together from `now` on and,
/// among the visits that can be served in a batch of that size, takes the ones with the earliest deadlines.
/// O(log cap log n).
inline FeasibleBatch largest_skipping(const MergedVisits& visits, const FlexLatency& latency, TimeNs now) {
  // A batch of b needs b visits due at now + latency(b) or later. With least_from() in place of latency(), a
  // condition that holds for b holds for all smaller sizes.
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

/// FlexBatch::kPrefix: takes visits from the earliest deadline that any batch can meet on, as many as that
/// deadline allows. O(log cap + log n) if latencies grow with the batch size.
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

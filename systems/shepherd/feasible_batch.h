// The largest batch that ends in time (SHEPHERD section 5.2 and appendix C, Algorithm 2).
#pragma once

#include <algorithm>

#include "harness/core/types.h"
#include "systems/shepherd/flex_latency.h"
#include "systems/shepherd/flex_params.h"
#include "systems/shepherd/merged_visits.h"

namespace harness {

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

#include "systems/reserve/lane.h"

#include <algorithm>

namespace harness {

void Lane::set(const BatchShape& shape, int workers) {
  shape_ = shape;
  spacing_ns_ = shape.spacing_ns(std::max(1, workers));
}

Lane::Place Lane::find(TimeNs ready_ns) const {
  const Batch& newest = batch(0);
  if (ready_ns <= newest.start_ns && has_room(newest)) return {ready_ns, newest.start_ns, false};
  return {ready_ns, std::max(ready_ns, next_start_ns(0)), true};
}

void Lane::reserve(const Place& place, double share) {
  if (place.opens) {
    // Shares may not divide the size: what is too much in a full batch counts in the next.
    const double over = place.start_ns == next_start_ns(0) ? std::max(0.0, batch(0).taken - shape_.size) : 0;
    ++newest_;
    batches_[newest_ % kKept] = {place.ready_ns, place.start_ns, over};
  }
  batches_[newest_ % kKept].taken += share;
}

TimeNs Lane::start_at(TimeNs at_ns) const {
  for (std::size_t back = 0; back < batches_.size(); ++back) {
    const Batch& last = batch(back);
    if (last.first_ready_ns > at_ns) continue;
    if (last.start_ns > at_ns && has_room(last)) return last.start_ns;
    return std::max(at_ns, next_start_ns(back));
  }
  return kNever;
}

}  // namespace harness

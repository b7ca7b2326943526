#include "harness/gpu/device/segment_queue.h"

#include <algorithm>

#include "harness/core/check.h"

namespace harness {

void SegmentQueue::add(int slot, int segments) {
  HARNESS_CHECK(count_ < batches_.size() && !has(slot) && segments > 0, "a batch that cannot queue");
  batches_[count_++] = {slot, segments, 0, 0, false};
}

bool SegmentQueue::has(int slot) const {
  for (std::size_t i = 0; i < count_; ++i) {
    if (batches_[i].slot == slot) return true;
  }
  return false;
}

std::size_t SegmentQueue::first_waiting() const {
  std::size_t i = 0;
  while (i < count_ && batches_[i].is_enqueued()) ++i;
  return i;
}

std::size_t SegmentQueue::first_running() const {
  std::size_t i = 0;
  while (i < count_ && batches_[i].passed == batches_[i].enqueued) ++i;
  return i;
}

std::optional<SegmentQueue::Segment> SegmentQueue::next() const {
  const std::size_t i = first_waiting();
  if (i == count_ || ahead_ >= kMaxAhead) return std::nullopt;
  return Segment{batches_[i].slot, batches_[i].enqueued};
}

void SegmentQueue::enqueued() {
  HARNESS_CHECK(next().has_value(), "no segment was to be enqueued");
  ++batches_[first_waiting()].enqueued;
  ++ahead_;
}

std::optional<SegmentQueue::Segment> SegmentQueue::running() const {
  const std::size_t i = first_running();
  if (i == count_) return std::nullopt;
  return Segment{batches_[i].slot, batches_[i].passed};
}

void SegmentQueue::passed() {
  HARNESS_CHECK(ahead_ > 0, "no segment was running");
  ++batches_[first_running()].passed;
  --ahead_;
}

void SegmentQueue::stop(int slot) {
  for (std::size_t i = 0; i < count_; ++i) {
    Batch& batch = batches_[i];
    if (batch.slot == slot && !batch.is_enqueued()) batch.stopped = true;
  }
}

std::optional<SegmentQueue::Finished> SegmentQueue::finished() const {
  if (empty()) return std::nullopt;
  const Batch& batch = batches_.front();
  if (!batch.is_enqueued() || batch.passed < batch.enqueued) return std::nullopt;
  return Finished{batch.slot, batch.enqueued, batch.enqueued == batch.segments};
}

void SegmentQueue::remove() {
  HARNESS_CHECK(finished().has_value(), "a batch whose work is not over");
  std::rotate(batches_.begin(), batches_.begin() + 1, batches_.end());
  --count_;
}

std::vector<int> SegmentQueue::drop_all() {
  std::vector<int> slots;
  for (std::size_t i = 0; i < count_; ++i) slots.push_back(batches_[i].slot);
  count_ = 0;
  ahead_ = 0;
  return slots;
}

}  // namespace harness

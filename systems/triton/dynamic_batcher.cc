#include "systems/triton/dynamic_batcher.h"

#include <algorithm>
#include <limits>

#include "harness/core/drop_reason.h"

namespace harness {
namespace {

constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

}  // namespace

DynamicBatcher::DynamicBatcher(const TritonParams& params)
    : preferred_(params.preferred_sizes()),
      max_batch_(params.max_batch_size > 0 ? params.max_batch_size : std::numeric_limits<int>::max()),
      delay_ns_(params.max_queue_delay_us * kNsPerUs),
      timeout_ns_(params.default_timeout_us * kNsPerUs),
      max_queue_(params.max_queue_size > 0 ? static_cast<std::size_t>(params.max_queue_size) : kUnlimited),
      action_(params.timeout_action) {
  if (params.dynamic_batching) return;
  preferred_.clear();
  max_batch_ = 1;
  delay_ns_ = 0;
  timeout_ns_ = 0;
  max_queue_ = kUnlimited;
}

bool DynamicBatcher::admit(TimeNs, const Visit& visit, Decisions& out) {
  if (waiting_.size() + delayed_.size() < max_queue_) return true;
  out.drop(visit.id, DropReason::kOverload);
  return false;
}

TimeNs DynamicBatcher::start_at(TimeNs now, int room, Decisions& out) {
  apply_timeouts(now, out);
  const int count = pending(room);
  if (count == 0 || delay_ns_ == 0 || delay_is_over(now, count) || preferred(count, room) > 0) return now;
  const TimeNs sent_ns = oldest_ns(count) + delay_ns_;
  if (timeout_ns_ == 0 || waiting_.empty()) return sent_ns;
  return std::min(sent_ns, waiting_.front().queued_ns + timeout_ns_ + 1);
}

int DynamicBatcher::fill(TimeNs now, const BatchSlot& slot, Decisions& out) {
  const int count = pending(slot.room);
  const int best = preferred(count, slot.room);
  const int size = best > 0 && !delay_is_over(now, count) ? best : count;
  for (int i = 0; i < size; ++i) {
    VisitRing<Waiting>& from = waiting_.empty() ? delayed_ : waiting_;
    out.join(slot.worker, from.front().id);
    from.pop_front();
  }
  return size;
}

/// All timeouts are alike, so that those who have timed out came first.
void DynamicBatcher::apply_timeouts(TimeNs now, Decisions& out) {
  if (timeout_ns_ == 0) return;
  while (!waiting_.empty() && now > waiting_.front().queued_ns + timeout_ns_) {
    if (action_ == TimeoutAction::kReject) {
      out.drop(waiting_.front().id, DropReason::kExpired);
    } else {
      delayed_.push(waiting_.front());
    }
    waiting_.pop_front();
  }
}

int DynamicBatcher::pending(int room) const {
  return static_cast<int>(std::min(waiting_.size() + delayed_.size(), static_cast<std::size_t>(room)));
}

int DynamicBatcher::preferred(int pending, int room) const {
  const auto first = preferred_.begin();
  if (first == preferred_.end() || *first > room) return pending == room ? room : 0;
  const auto above = std::upper_bound(first, preferred_.end(), pending);
  return above == first ? 0 : *(above - 1);
}

bool DynamicBatcher::delay_is_over(TimeNs now, int pending) const {
  return delay_ns_ > 0 && now - oldest_ns(pending) >= delay_ns_;
}

TimeNs DynamicBatcher::oldest_ns(int pending) const {
  const bool has_delayed = static_cast<std::size_t>(pending) > waiting_.size();
  return (has_delayed ? delayed_ : waiting_).front().queued_ns;
}

}  // namespace harness

#include "systems/reserve/queue_turns.h"

#include <algorithm>

namespace harness {

void QueueTurns::on_report(QueueId queue, TimeNs start_ns, bool all_have_come) {
  if (queue >= next_ns_.size() || next_ns_[queue] == kNever) return;
  // Some visits of the batch that fills now may be on their way.
  all_have_come = all_have_come && queue != current_;
  next_ns_[queue] = all_have_come ? start_ns : std::max(next_ns_[queue], start_ns);
}

void QueueTurns::keep(std::span<const QueueView> queues) {
  if (queues.size() == known_ && queues.back().id == last_) return;
  known_ = queues.size();
  last_ = queues.back().id;
  std::vector<TimeNs> kept(last_ + std::size_t{1}, kNever);
  for (const QueueView& queue : queues) kept[queue.id] = next(queue.id);
  next_ns_.swap(kept);
}

TimeNs QueueTurns::next_ns(TimeNs now) const {
  const auto first = std::min_element(next_ns_.begin(), next_ns_.end());
  return first == next_ns_.end() || *first == kNever ? now : std::max(now, *first);
}

TimeNs& QueueTurns::next(QueueId queue) {
  if (queue >= next_ns_.size()) next_ns_.resize(queue + 1, kNever);
  if (next_ns_[queue] == kNever) next_ns_[queue] = 0;  // idle so far
  return next_ns_[queue];
}

std::uint32_t QueueTurns::open(TimeNs now, std::span<const QueueView> queues, const BatchShape& shape) {
  std::uint32_t best = 0;
  for (std::uint32_t i = 1; i < queues.size(); ++i) {
    if (next(queues[i].id) < next(queues[best].id)) best = i;
  }
  current_ = queues[best].id;
  start_ns_ = std::max(now, next(current_));
  next(current_) = start_ns_ + shape.exec_ns;
  joined_ = 1;
  return best;
}

}  // namespace harness

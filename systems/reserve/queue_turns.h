// The turns of queues of single workers, for the routers of `reserve`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/core/types.h"
#include "harness/serving/router.h"
#include "systems/reserve/batch_shape.h"

namespace harness {

/// Chooses among several queues, each of one worker, for the visits of a module: batch after batch, the queue
/// that can start next.
class QueueTurns {
 public:
  /// Forgets the queues that are gone.
  void keep(std::span<const QueueView> queues);
  /// Returns an index into `queues`. `latency_ns` gives the time that a batch of a given size takes.
  template <class Latency>
  std::uint32_t choose(TimeNs now, std::span<const QueueView> queues, const BatchShape& shape,
                       Latency latency_ns) {
    // A batch with room is held until its last moment (slot_policy.h), so more may join it.
    if (joined_ > 0 && joined_ < shape.size && now + latency_ns(joined_ + 1) <= start_ns_ + shape.exec_ns) {
      for (std::uint32_t i = 0; i < queues.size(); ++i) {
        if (queues[i].id != current_) continue;
        ++joined_;
        return i;
      }
    }
    return open(now, queues, shape);
  }
  /// Takes a queue's report of the time at which one more visit would start. Ignores queues that are gone.
  /// `all_have_come` says that the queue knows of all visits for which it was chosen.
  void on_report(QueueId queue, TimeNs start_ns, bool all_have_come);
  /// Returns the time, from `now` on, at which the next batch of any queue can start.
  TimeNs next_ns(TimeNs now) const;

 private:
  std::uint32_t open(TimeNs now, std::span<const QueueView> queues, const BatchShape& shape);
  TimeNs& next(QueueId queue);

  std::vector<TimeNs> next_ns_;  ///< time at which each queue can start its next batch; kNever: no such queue
  std::size_t known_ = 0;        ///< number of queues
  QueueId last_ = 0;             ///< id of the last queue
  QueueId current_ = 0;
  TimeNs start_ns_ = 0;  ///< start of the batch that fills now
  int joined_ = 0;       ///< number of visits in it
};

}  // namespace harness

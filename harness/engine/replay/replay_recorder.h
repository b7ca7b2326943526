// The recorder of what reaches the schedulers of a run, and of what they decide.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "harness/record/run/replay_log.h"
#include "harness/serving/scheduler.h"

namespace harness {

/// The logs of a run's queues. Outlives the schedulers that it has wrapped.
class ReplayRecorder {
 public:
  /// Records nothing and costs nothing if `wanted` is false.
  explicit ReplayRecorder(bool wanted) : wanted_(wanted) {}
  /// Returns the scheduler, with a recorder around it if recording is wanted.
  std::unique_ptr<Scheduler> wrap(std::unique_ptr<Scheduler> scheduler, QueueId queue, GroupId group);
  /// Hands over all logs, in order of queue; the schedulers may not be called any more.
  std::vector<ReplayLog> take();

 private:
  bool wanted_;
  std::deque<ReplayLog> logs_;
};

}  // namespace harness

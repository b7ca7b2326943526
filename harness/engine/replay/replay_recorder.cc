#include "harness/engine/replay/replay_recorder.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "harness/engine/replay/recording_scheduler.h"

namespace harness {

std::unique_ptr<Scheduler> ReplayRecorder::wrap(std::unique_ptr<Scheduler> scheduler, QueueId queue,
                                                GroupId group) {
  if (!wanted_) return scheduler;
  logs_.push_back({queue, group, 0, 0, {}});
  return std::make_unique<RecordingScheduler>(std::move(scheduler), logs_.back());
}

std::vector<ReplayLog> ReplayRecorder::take() {
  std::vector<ReplayLog> logs(std::make_move_iterator(logs_.begin()), std::make_move_iterator(logs_.end()));
  logs_.clear();
  std::sort(logs.begin(), logs.end(),
            [](const ReplayLog& a, const ReplayLog& b) { return a.queue < b.queue; });
  return logs;
}

}  // namespace harness

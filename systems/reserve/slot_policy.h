// A queue of `reserve`: decides which visits make a batch, and when it starts. BatchingScheduler documents
// the calls.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "harness/serving/batch_slot.h"
#include "harness/serving/deadline_queue.h"
#include "harness/serving/decision.h"
#include "harness/serving/plan.h"
#include "harness/serving/serving_context.h"
#include "harness/serving/visit.h"
#include "systems/reserve/batch_shape.h"
#include "systems/reserve/reserve_params.h"

namespace harness {

/// Serves the earliest deadline first. A batch has its turn at least one spacing after the turn before. It
/// ends no later than a full batch that starts at its turn; if it is not full, it starts as late as this
/// allows (with `hold`), so that more visits may join, or earlier if its first visit would be late otherwise.
/// When a batch is filled, visits that would be late in it are dropped.
class SlotPolicy {
 public:
  SlotPolicy(const ServingContext& context, ModuleId module, const ReserveParams& params)
      : context_(context), module_(module), params_(params) {}

  void on_plan(TimeNs now, const Plan& plan);
  void start(TimeNs, Decisions&) {}
  void push(TimeNs, const Visit& visit) {
    if (queue_.empty()) has_turn_ = false;
    queue_.insert(visit);
  }
  bool erase(VisitId id);
  bool empty() const { return queue_.empty(); }
  bool waits() const { return true; }
  int batch_limit() const { return shape_.size; }
  void on_workers(int workers) { workers_ = std::max(1, workers); }
  TimeNs start_at(TimeNs now, int room, Decisions& out);
  int fill(TimeNs now, const BatchSlot& slot, Decisions& out);
  void on_lost(WorkerId worker) { on_gone(worker); }
  void on_gone(WorkerId worker);
  void on_started(TimeNs, const BatchView&) {}
  void on_done(TimeNs now, const BatchView& batch);
  void on_state(TimeNs now, ModuleId module, std::span<const double> state);
  void on_timer(TimeNs, Decisions&) {}

 private:
  struct Worker {
    WorkerId id = 0;
    TimeNs end_ns = 0;                 ///< expected end of its last batch
    std::vector<TimeNs> deadlines_ns;  ///< deadlines of that batch's visits; only at a last module
  };

  void set_size(int size);
  Worker& worker(WorkerId id);
  /// Returns the time that a batch of `size` takes.
  TimeNs batch_ns(int size) const { return batch_ns_[static_cast<std::size_t>(size)]; }
  int next_size(int room) const {
    return static_cast<int>(std::min({queue_.size(), static_cast<std::size_t>(room), batch_ns_.size() - 1}));
  }
  void report(TimeNs now, int served, Decisions& out);

  const ServingContext& context_;
  ModuleId module_;
  const ReserveParams& params_;
  Plan plan_;
  BatchShape shape_;
  std::vector<TimeNs> batch_ns_;  ///< time that a batch takes, by size from 0 on; grows with the size
  TimeNs after_ns_ = 0;           ///< time of the longest path after the module, in reserved batches
  TimeNs least_after_ns_ = 0;     ///< time of the longest path after the module, in batches of one
  bool is_last_ = false;
  int workers_ = 1;
  bool has_turn_ = false;  ///< true if turn_ns_ is the next batch's turn
  TimeNs turn_ns_ = 0;
  TimeNs last_turn_ns_ = -(TimeNs{1} << 60);
  int lost_ = 0;  ///< number of visits lost since the last report
  std::vector<Worker> served_by_;
  DeadlineQueue<Visit> queue_;
};

}  // namespace harness

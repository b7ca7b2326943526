// How a worker of Loki serves its queue (section 3): in order of arrival, up to the planned batch size.
#pragma once

#include <algorithm>

#include "harness/serving/batching_scheduler.h"
#include "harness/serving/visit_ring.h"
#include "systems/loki/early_dropping.h"

namespace harness {

/// A policy for BatchingScheduler. Under last-task dropping a visit whose batch would end after its deadline
/// is dropped when its turn comes, if its task is a last one.
class ArrivalOrderPolicy {
 public:
  ArrivalOrderPolicy(EarlyDropping rule, bool is_last_task)
      : rule_(is_last_task ? rule : EarlyDropping::kOff) {}

  void on_plan(TimeNs, const ModulePlan& plan) { exec_ns_ = plan.exec_ns; }
  void push(TimeNs, const Visit& visit) { queue_.push({visit.id, visit.due_ns}); }
  void put_back(TimeNs, const Visit& visit) { queue_.push_front({visit.id, visit.due_ns}); }
  bool erase(VisitId visit) { return queue_.erase(visit); }
  bool empty() const { return queue_.empty(); }

  int fill(TimeNs, const BatchSlot& slot, Decisions& out) {
    int joined = 0;
    std::size_t taken = 0;
    for (; joined < slot.room && taken < queue_.size(); ++taken) {
      const Waiting visit = queue_[taken];
      if (drops_at_last_task(rule_, visit.due_ns - slot.start_ns, exec_ns_)) {
        out.drop(visit.id, DropReason::kEstimatedLate);
      } else {
        out.join(slot.worker, visit.id);
        ++joined;
      }
    }
    queue_.pop_front(taken);
    return joined;
  }

  void on_started(TimeNs, const BatchView&) {}
  void on_done(TimeNs, const BatchView&) {}
  void on_state(TimeNs, ModuleId, std::span<const double>) {}
  void start(TimeNs, Decisions&) {}
  void on_timer(TimeNs, Decisions&) {}

 private:
  struct Waiting {
    VisitId id = 0;
    TimeNs due_ns = 0;
  };

  EarlyDropping rule_;
  TimeNs exec_ns_ = 0;
  VisitRing<Waiting> queue_;
};

}  // namespace harness

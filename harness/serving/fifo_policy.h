// First in, first out, without drops: the queue of naive and of InferLine.
#pragma once

#include <algorithm>
#include <span>

#include "harness/serving/batch_slot.h"
#include "harness/serving/decision.h"
#include "harness/serving/module_plan.h"
#include "harness/serving/visit.h"
#include "harness/serving/visit_ring.h"

namespace harness {

/// The policy of BatchingScheduler that serves visits in order of arrival.
class FifoPolicy {
 public:
  void on_plan(TimeNs, const ModulePlan&) {}
  void push(TimeNs, const Visit& visit) { queue_.push({visit.id}); }
  void put_back(TimeNs, const Visit& visit) { queue_.push_front({visit.id}); }
  bool erase(VisitId visit) { return queue_.erase(visit); }
  bool empty() const { return queue_.empty(); }

  int fill(TimeNs, const BatchSlot& slot, Decisions& out) {
    const std::size_t count = std::min(static_cast<std::size_t>(slot.room), queue_.size());
    for (std::size_t i = 0; i < count; ++i) out.join(slot.worker, queue_[i].id);
    queue_.pop_front(count);
    return static_cast<int>(count);
  }

  int fill_with(TimeNs, const Visit& visit, const BatchSlot& slot, Decisions& out) {
    out.join(slot.worker, visit.id);
    return 1;
  }

  void on_started(TimeNs, const BatchView&) {}
  void on_done(TimeNs, const BatchView&) {}
  void on_state(TimeNs, ModuleId, std::span<const double>) {}
  void start(TimeNs, Decisions&) {}
  void on_timer(TimeNs, Decisions&) {}

 private:
  struct Waiting {
    VisitId id = 0;
  };
  VisitRing<Waiting> queue_;
};

}  // namespace harness

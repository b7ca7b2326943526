// The queue of a function's instances: batches wait until they are full, or until their oldest request must
// start.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "harness/core/check.h"
#include "harness/serving/decision.h"
#include "harness/serving/scheduler.h"
#include "harness/serving/visit_ring.h"

namespace harness {

/// The queue of a module: first in, first out, and nothing is dropped. A free instance starts a batch when it
/// is full, or when its oldest request has waited for SLO - t: the module's budget less its planned execution
/// time. Requests wait in front of the instances, whatever `serving.commit` says.
class BatchQueue final : public Scheduler {
 public:
  explicit BatchQueue(ModuleId module) : module_(module) {}

  void on_plan(TimeNs now, const Plan& plan, Decisions& out) override {
    const ModulePlan& own = plan.modules[module_];
    max_batch_ = static_cast<std::size_t>(own.max_batch);
    timeout_ns_ = std::max<TimeNs>(0, own.budget_ns - own.exec_ns);
    serve(now, out);
  }

  void on_worker_added(TimeNs, WorkerId, Decisions&) override {}
  void on_worker_draining(TimeNs, WorkerId worker, Decisions&) override { std::erase(free_, worker); }

  void on_workers_lost(TimeNs now, std::span<const WorkerId> workers, std::span<const Visit> visits,
                       Decisions& out) override {
    for (const WorkerId worker : workers) std::erase(free_, worker);
    for (auto visit = visits.rbegin(); visit != visits.rend(); ++visit)
      queue_.push_front({visit->id, visit->arrived_ns});
    serve(now, out);
  }

  void on_arrival(TimeNs now, const Visit& visit, Decisions& out) override {
    queue_.push({visit.id, visit.arrived_ns});
    serve(now, out);
  }

  void on_cancelled(TimeNs, VisitId visit, Decisions&) override {
    HARNESS_CHECK(queue_.erase(visit), "a cancelled visit is not in the queue");
  }

  void on_worker_free(TimeNs now, WorkerId worker, Decisions& out) override {
    free_.push_back(worker);
    serve(now, out);
  }

  void on_batch_started(TimeNs, const BatchView&, Decisions&) override {}
  void on_timer(TimeNs now, Decisions& out) override { serve(now, out); }

 private:
  struct Waiting {
    VisitId id = 0;
    TimeNs arrived_ns = 0;
  };

  void serve(TimeNs now, Decisions& out) {
    while (!queue_.empty() && !free_.empty()) {
      const TimeNs start_ns = queue_.front().arrived_ns + timeout_ns_;
      if (queue_.size() < max_batch_ && now < start_ns) {
        out.wake_at(start_ns);
        return;
      }
      const std::size_t count = std::min(queue_.size(), max_batch_);
      for (std::size_t i = 0; i < count; ++i) out.join(free_.back(), queue_[i].id);
      queue_.pop_front(count);
      out.launch(free_.back());
      free_.pop_back();
    }
  }

  ModuleId module_;
  std::size_t max_batch_ = 1;
  TimeNs timeout_ns_ = 0;
  VisitRing<Waiting> queue_;
  std::vector<WorkerId> free_;
};

}  // namespace harness

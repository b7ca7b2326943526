// A queue of operators that halt with the whole pipeline whenever its parallelism changes (Flink: savepoint
// and restart).
#pragma once

#include <span>
#include <vector>

#include "harness/core/check.h"
#include "harness/serving/decision.h"
#include "harness/serving/scheduler.h"
#include "harness/serving/visit_ring.h"

namespace harness {

/// The queue is first in, first out, with one visit at a time, and nothing is dropped. A plan that differs
/// from the one before halts it: running visits end, and nothing is launched until `halt_ns` later. Visits
/// join free workers only, whatever `serving.commit` says: they wait in front of the operator, so that a halt
/// never finds visits in a batch that has not started.
class HaltingScheduler final : public Scheduler {
 public:
  explicit HaltingScheduler(TimeNs halt_ns) : halt_ns_(halt_ns) {}

  void on_plan(TimeNs now, const Plan& plan, Decisions& out) override {
    const bool changes = !plan_.modules.empty() && !(plan == plan_);
    plan_ = plan;
    if (!changes) return;
    halted_until_ns_ = now + halt_ns_;
    out.wake_at(halted_until_ns_);
  }

  void on_worker_added(TimeNs, WorkerId, Decisions&) override {}
  void on_worker_draining(TimeNs, WorkerId worker, Decisions&) override { std::erase(free_, worker); }

  void on_workers_lost(TimeNs now, std::span<const WorkerId> workers, std::span<const Visit> visits,
                       Decisions& out) override {
    for (const WorkerId worker : workers) std::erase(free_, worker);
    for (auto visit = visits.rbegin(); visit != visits.rend(); ++visit) queue_.push_front({visit->id});
    serve(now, out);
  }

  void on_arrival(TimeNs now, const Visit& visit, Decisions& out) override {
    queue_.push({visit.id});
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

  void on_timer(TimeNs now, Decisions& out) override {
    // The timer may have been set for the halt before, which a later plan has made longer.
    if (now < halted_until_ns_) out.wake_at(halted_until_ns_);
    serve(now, out);
  }

 private:
  struct Waiting {
    VisitId id = 0;
  };

  void serve(TimeNs now, Decisions& out) {
    if (now < halted_until_ns_) return;
    while (!queue_.empty() && !free_.empty()) {
      out.join(free_.back(), queue_.front().id);
      out.launch(free_.back());
      free_.pop_back();
      queue_.pop_front();
    }
  }

  TimeNs halt_ns_;
  TimeNs halted_until_ns_ = 0;
  Plan plan_;
  VisitRing<Waiting> queue_;
  std::vector<WorkerId> free_;
};

}  // namespace harness

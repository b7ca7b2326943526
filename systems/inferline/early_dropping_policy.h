// Early dropping on top of InferLine's queue (beyond its paper, which drops nothing).
#pragma once

#include <span>
#include <vector>

#include "harness/core/drop_reason.h"
#include "harness/core/routes.h"
#include "harness/serving/batch_slot.h"
#include "harness/serving/decision.h"
#include "harness/serving/module_plan.h"
#include "harness/serving/plan.h"
#include "harness/serving/serving_context.h"
#include "harness/serving/visit.h"
#include "harness/serving/visit_ring.h"

namespace harness {

/// A policy of BatchingScheduler: first in, first out, and a query whose turn has come is dropped if it would
/// end after its deadline. Its end is estimated as the start of the batch, plus the planned execution time of
/// this model, plus the planned execution times of the models that must still come on the shortest of the
/// routes that lead through this model (in a task tree: of this model alone). The reason is `estimated_late`,
/// or `expired` if the deadline has passed already. A query that would end exactly at its deadline is served.
class EarlyDroppingPolicy {
 public:
  EarlyDroppingPolicy(const ServingContext& context, ModuleId module) : context_(context), module_(module) {}

  void on_plan(TimeNs, const Plan& plan) {
    remaining_ns_ = plan.modules[module_].exec_ns;
    const Pipeline& pipeline = *context_.pipeline;
    if (pipeline.has_tasks()) return;  // a visit may cause no further visit
    std::vector<double> exec_ns;
    for (const ModulePlan& each : plan.modules) exec_ns.push_back(static_cast<double>(each.exec_ns));
    const Routes routes(pipeline, context_.seed);
    remaining_ns_ += static_cast<TimeNs>(least_after(pipeline, routes, exec_ns)[module_]);
  }

  void push(TimeNs, const Visit& visit) { queue_.push({visit.id, visit.deadline_ns}); }
  void put_back(TimeNs, const Visit& visit) { queue_.push_front({visit.id, visit.deadline_ns}); }
  bool erase(VisitId visit) { return queue_.erase(visit); }
  bool empty() const { return queue_.empty(); }

  int fill(TimeNs now, const BatchSlot& slot, Decisions& out) {
    const TimeNs end_ns = slot.start_ns + remaining_ns_;
    int joined = 0;
    while (joined < slot.room && !queue_.empty()) {
      const Waiting visit = queue_.front();
      queue_.pop_front();
      if (end_ns > visit.deadline_ns) {
        out.drop(visit.id, now > visit.deadline_ns ? DropReason::kExpired : DropReason::kEstimatedLate);
      } else {
        out.join(slot.worker, visit.id);
        ++joined;
      }
    }
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
    TimeNs deadline_ns = 0;
  };

  const ServingContext& context_;
  ModuleId module_;
  TimeNs remaining_ns_ = 0;  ///< time from the start of a batch to the end of its queries
  VisitRing<Waiting> queue_;
};

}  // namespace harness

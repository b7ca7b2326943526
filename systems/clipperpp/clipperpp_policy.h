// Clipper++'s rules for dropping and for the size of batches.
#pragma once

#include <span>
#include <vector>

#include "harness/core/drop_reason.h"
#include "harness/serving/batch_slot.h"
#include "harness/serving/decision.h"
#include "harness/serving/module_plan.h"
#include "harness/serving/plan.h"
#include "harness/serving/serving_context.h"
#include "harness/serving/visit.h"
#include "harness/serving/visit_ring.h"
#include "systems/clipperpp/aimd_limit.h"
#include "systems/clipperpp/clipperpp_params.h"

namespace harness {

/// First in, first out. A visit that has used up its budget when its turn comes is dropped: `expired` when
/// the deadline of the whole request is past, otherwise `over_budget`. A visit exactly at its limit is
/// served. With `overrun` = dropped a visit whose budget ended while an earlier module executed it is dropped
/// as it arrives here: the execution is wasted, and the drop counts at this module.
class ClipperppPolicy {
 public:
  ClipperppPolicy(const ServingContext& context, ModuleId module, const ClipperppParams& params)
      : context_(context),
        module_(module),
        params_(params),
        aimd_(params.aimd_step, params.aimd_backoff),
        drops_overruns_(params.overrun == ClipperppOverrun::kDropped &&
                        !context.pipeline->modules[module].pres.empty()) {}

  void on_plan(TimeNs, const Plan& plan) {
    std::vector<double> budgets;
    for (const ModulePlan& each : plan.modules) budgets.push_back(static_cast<double>(each.budget_ns));
    own_budget_ns_ = plan.modules[module_].budget_ns;
    const double before = longest_before(*context_.pipeline, budgets)[module_];
    budget_before_ns_ = static_cast<TimeNs>(before);
    budget_to_here_ns_ = budget_before_ns_ + own_budget_ns_;
    looks_ahead_ns_ = params_.check_at == ClipperppCheck::kEnd ? plan.modules[module_].exec_ns : 0;
    most_ = plan.modules[module_].max_batch;
    aimd_.set_most(most_);
  }

  bool admit(TimeNs, const Visit& visit, Decisions& out) {
    if (!drops_overruns_ || visit.arrived_ns <= visit.sent_ns + budget_before_ns_) return true;
    drop(visit.arrived_ns, waiting(visit), out);
    return false;
  }
  void push(TimeNs, const Visit& visit) { queue_.push(waiting(visit)); }
  void put_back(TimeNs, const Visit& visit) { queue_.push_front(waiting(visit)); }
  bool erase(VisitId visit) { return queue_.erase(visit); }
  bool empty() const { return queue_.empty(); }
  int batch_limit() const { return params_.aimd ? aimd_.limit() : most_; }

  int fill(TimeNs now, const BatchSlot& slot, Decisions& out) {
    const TimeNs as_of = params_.check_at == ClipperppCheck::kJoin ? now : slot.start_ns + looks_ahead_ns_;
    int joined = 0;
    while (joined < slot.room && !queue_.empty()) {
      const Waiting visit = queue_.front();
      queue_.pop_front();
      if (as_of > visit.limit_ns) {
        drop(as_of, visit, out);
      } else {
        out.join(slot.worker, visit.id);
        ++joined;
      }
    }
    return joined;
  }

  void on_started(TimeNs, const BatchView&) {}
  void on_done(TimeNs now, const BatchView& batch) {
    if (params_.aimd)
      aimd_.on_batch(static_cast<int>(batch.visits.size()), now - batch.started_ns, own_budget_ns_);
  }
  void on_state(TimeNs, ModuleId, std::span<const double>) {}
  void start(TimeNs, Decisions&) {}
  void on_timer(TimeNs, Decisions&) {}

 private:
  struct Waiting {
    VisitId id = 0;
    TimeNs limit_ns = 0;  ///< last moment at which it is served
    TimeNs deadline_ns = 0;
  };

  static void drop(TimeNs as_of, const Waiting& visit, Decisions& out) {
    out.drop(visit.id, as_of > visit.deadline_ns ? DropReason::kExpired : DropReason::kOverBudget);
  }

  Waiting waiting(const Visit& visit) const {
    const bool cumulative = params_.budget == ClipperppBudget::kCumulative;
    const TimeNs limit = cumulative ? visit.sent_ns + budget_to_here_ns_ : visit.arrived_ns + own_budget_ns_;
    return {visit.id, limit, visit.deadline_ns};
  }

  const ServingContext& context_;
  ModuleId module_;
  ClipperppParams params_;
  AimdLimit aimd_;
  bool drops_overruns_;
  int most_ = 1;
  TimeNs looks_ahead_ns_ = 0;  ///< from the expected start of a batch to the moment of the check
  TimeNs own_budget_ns_ = 0;
  TimeNs budget_before_ns_ = 0;
  TimeNs budget_to_here_ns_ = 0;
  VisitRing<Waiting> queue_;
};

}  // namespace harness

// How a worker of Loki serves its queue (section 3): in order of arrival, up to the planned batch size.
#pragma once

#include <algorithm>

#include "harness/serving/batching_scheduler.h"
#include "harness/serving/visit_ring.h"
#include "systems/loki/early_dropping.h"
#include "systems/loki/trees.h"

namespace harness {

/// A policy for BatchingScheduler. A visit whose batch would end after the limit of the rule in force
/// (early_dropping.h) is dropped when its turn comes: when it would join the batch.
///
/// Reconstructed: the batch is expected to execute as long as one of the planned size (kPlanned), so that no
/// visit that joins later makes it longer; the authors' simulator takes what is queued (kQueued).
class ArrivalOrderPolicy {
 public:
  /// `context` outlives this. Without Loki's plans (trees.h) there are no budgets to keep.
  ArrivalOrderPolicy(const ServingContext& context, ModuleId module, const RoutingParams& routing,
                     const DroppingParams& dropping)
      : context_(context),
        module_(module),
        expected_(dropping.expected_batch),
        reroute_limit_(routing.reroute_limit),
        budget_factor_(dropping.budget_factor) {
    const bool is_last = context.pipeline->modules[module].subs.empty();
    limit_ = turn_limit(routing.early_dropping, routing.drop_at, dropping.deadline, is_last);
    if (limit_ == TurnLimit::kBudget && !is_for_loki(context)) limit_ = TurnLimit::kUnlimited;
    makes_up_ = routing.early_dropping == EarlyDropping::kReroute && !is_last;
  }

  void on_plan(TimeNs, const Plan& plan) {
    exec_ns_ = plan.modules[module_].exec_ns;
    budget_ns_ = plan.modules[module_].budget_ns;
    if (makes_up_)
      budget_ns_ += most_made_up(*context_.pipeline, plan, module_, reroute_limit_, budget_factor_);
  }
  void push(TimeNs, const Visit& visit) { queue_.push(waiting(visit)); }
  void put_back(TimeNs, const Visit& visit) { queue_.push_front(waiting(visit)); }
  bool erase(VisitId visit) { return queue_.erase(visit); }
  bool empty() const { return queue_.empty(); }

  int fill(TimeNs, const BatchSlot& slot, Decisions& out) {
    int joined = 0;
    std::size_t taken = 0;
    for (; joined < slot.room && taken < queue_.size(); ++taken) {
      const Waiting visit = queue_[taken];
      const TimeNs end_ns = slot.start_ns + expected_ns(slot, joined, queue_.size() - taken);
      if (limit_ != TurnLimit::kUnlimited && end_ns > latest_end_ns(visit)) {
        out.drop(visit.id,
                 limit_ == TurnLimit::kBudget ? DropReason::kOverBudget : DropReason::kEstimatedLate);
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
    TimeNs deadline_ns = 0;
    TimeNs arrived_ns = 0;
  };

  static Waiting waiting(const Visit& visit) { return {visit.id, visit.deadline_ns, visit.arrived_ns}; }

  TimeNs latest_end_ns(const Waiting& visit) const {
    return limit_ == TurnLimit::kBudget ? visit.arrived_ns + budget_ns_ : visit.deadline_ns;
  }

  /// Of the forming batch, which `joined` have joined now and `waiting` more may.
  TimeNs expected_ns(const BatchSlot& slot, int joined, std::size_t waiting) const {
    if (expected_ == ExpectedBatch::kPlanned) return exec_ns_;
    const auto more = static_cast<int>(std::min(waiting, static_cast<std::size_t>(slot.room - joined)));
    return context_.profiles[module_]->latency(slot.joined + joined + more);
  }

  const ServingContext& context_;
  ModuleId module_;
  TurnLimit limit_ = TurnLimit::kUnlimited;
  ExpectedBatch expected_;
  RerouteLimit reroute_limit_;
  double budget_factor_;
  bool makes_up_ = false;  ///< a reroute may make up for what is behind
  TimeNs exec_ns_ = 0;
  TimeNs budget_ns_ = 0;  ///< with what a reroute may make up for
  VisitRing<Waiting> queue_;
};

}  // namespace harness

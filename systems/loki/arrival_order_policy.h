// A worker of Loki serves its queue in order of arrival, in batches up to the planned size (section 3).
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "harness/core/drop_reason.h"
#include "harness/core/types.h"
#include "harness/serving/batch_slot.h"
#include "harness/serving/decision.h"
#include "harness/serving/plan.h"
#include "harness/serving/serving_context.h"
#include "harness/serving/visit.h"
#include "harness/serving/visit_ring.h"
#include "systems/loki/dropping_params.h"
#include "systems/loki/loki_pipelines.h"
#include "systems/loki/routing_params.h"
#include "systems/loki/turn_limit.h"

namespace harness {

/// A policy for BatchingScheduler. A visit is dropped when its turn comes, that is when it would join the
/// batch, if the batch would end after the limit of the rule in force (routing_params.h).
///
/// Reconstructed: the batch is expected to execute as long as a batch of the planned size (kPlanned), so that
/// no visit that joins later makes it longer; the authors' simulator goes by the visits that are queued
/// (kQueued).
class ArrivalOrderPolicy {
 public:
  /// `context` must outlive this. Without Loki's plans (loki_pipelines.h) there are no budgets to keep.
  ArrivalOrderPolicy(const ServingContext& context, ModuleId module, const RoutingParams& routing,
                     const DroppingParams& dropping)
      : context_(context),
        module_(module),
        expected_(dropping.expected_batch),
        launch_(dropping.launch),
        reroute_limit_(routing.reroute_limit),
        budget_factor_(dropping.budget_factor) {
    const bool is_last = context.pipeline->modules[module].subs.empty();
    limit_ = turn_limit(routing.early_dropping, routing.drop_at, dropping.deadline, is_last);
    if (limit_ == TurnLimit::kBudget && !is_for_loki(context)) limit_ = TurnLimit::kUnlimited;
    if (limit_ == TurnLimit::kUnlimited) launch_ = LaunchRule::kFree;
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

  bool waits() const { return launch_ == LaunchRule::kWait; }

  /// Returns when to start a batch (LaunchRule::kWait). First it drops visits from the front that would be
  /// late even alone. A batch of all queued visits starts when its first visit, by order of arrival, must
  /// start; if that moment is past, a batch of as many visits as still end in time starts now. Batches start
  /// kSlackNs earlier than they must, for timers that come late (live runs). Reconstructed after the authors'
  /// simulator (its batching "accscale").
  TimeNs start_at(TimeNs now, int room, Decisions& out) {
    std::size_t late = 0;
    while (late < queue_.size() && now + exec_ns(1) > latest_end_ns(queue_[late])) drop(queue_[late++], out);
    queue_.pop_front(late);
    take_ = static_cast<int>(std::min(queue_.size(), static_cast<std::size_t>(room)));
    if (take_ == 0 || take_ == room) return now;
    const TimeNs start_ns = latest_end_ns(queue_[0]) - exec_ns(take_) - kSlackNs;
    while (take_ > 1 && now + exec_ns(take_) > latest_end_ns(queue_[0])) --take_;
    return std::max(now, start_ns);
  }

  int fill(TimeNs, const BatchSlot& slot, Decisions& out) {
    const int room = waits() ? std::min(slot.room, take_) : slot.room;
    int joined = 0;
    std::size_t taken = 0;
    for (; joined < room && taken < queue_.size(); ++taken) {
      const Waiting visit = queue_[taken];
      const TimeNs end_ns = slot.start_ns + expected_ns(slot, joined, queue_.size() - taken);
      if (limit_ != TurnLimit::kUnlimited && end_ns > latest_end_ns(visit)) {
        drop(visit, out);
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
  static constexpr TimeNs kSlackNs = kNsPerMs;

  struct Waiting {
    VisitId id = 0;
    TimeNs deadline_ns = 0;
    TimeNs arrived_ns = 0;
  };

  static Waiting waiting(const Visit& visit) { return {visit.id, visit.deadline_ns, visit.arrived_ns}; }

  void drop(const Waiting& visit, Decisions& out) const {
    out.drop(visit.id, limit_ == TurnLimit::kBudget ? DropReason::kOverBudget : DropReason::kEstimatedLate);
  }

  TimeNs exec_ns(int batch) const { return context_.profiles[module_]->latency(batch); }

  TimeNs latest_end_ns(const Waiting& visit) const {
    return limit_ == TurnLimit::kBudget ? visit.arrived_ns + budget_ns_ : visit.deadline_ns;
  }

  /// Returns the expected execution time of the forming batch, after `joined` visits have joined it now and
  /// while `waiting` more may.
  TimeNs expected_ns(const BatchSlot& slot, int joined, std::size_t waiting) const {
    if (waits()) return exec_ns(take_);
    if (expected_ == ExpectedBatch::kPlanned) return exec_ns_;
    const auto more = static_cast<int>(std::min(waiting, static_cast<std::size_t>(slot.room - joined)));
    return exec_ns(slot.joined + joined + more);
  }

  const ServingContext& context_;
  ModuleId module_;
  TurnLimit limit_ = TurnLimit::kUnlimited;
  ExpectedBatch expected_;
  LaunchRule launch_;
  int take_ = 0;  ///< number of visits of the next batch, under LaunchRule::kWait
  RerouteLimit reroute_limit_;
  double budget_factor_;
  bool makes_up_ = false;  ///< true if a reroute may make up for a delay
  TimeNs exec_ns_ = 0;
  TimeNs budget_ns_ = 0;  ///< budget, with the time that a reroute may make up for
  VisitRing<Waiting> queue_;
};

}  // namespace harness

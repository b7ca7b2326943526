// How a worker of Loki serves its queue (section 3): in order of arrival, up to the planned batch size.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "harness/core/pipeline.h"
#include "harness/core/random.h"
#include "harness/core/types.h"
#include "harness/serving/batching_scheduler.h"
#include "harness/serving/plan.h"
#include "harness/serving/visit_ring.h"
#include "systems/loki/resource_manager.h"
#include "systems/loki/routing_tables.h"

namespace harness {

// Which requests Loki gives up early, and where it sends one that is behind (section 5.2). Pure functions.

/// Latency budget of a task whose visit runs on a variant with this execution time at its planned batch size
/// (section 4.2), times `factor`.
///
/// Reconstructed: section 4.2 names the execution time itself, but half of the SLO is for queues, section 5.2
/// says that the SLO is divided into the budgets, and compares them with waiting and execution together. With
/// a factor of 2 budgets add up to the SLO at most; with 1, to half of it, and a visit in a full batch that
/// waited at all is over budget.
TimeNs latency_budget(TimeNs exec_ns, double factor);

/// By how much a visit that spent `spent_ns` at a task, waiting and executing, is over the task's budget; 0
/// when it is within.
inline TimeNs time_behind(TimeNs spent_ns, TimeNs budget_ns) {
  return spent_ns > budget_ns ? spent_ns - budget_ns : 0;
}

/// What a visit must keep to be served when its turn has come in a queue.
enum class TurnLimit : std::uint8_t {
  kUnlimited,
  kDeadline,  ///< that of its request; a visit that would not is dropped as estimated_late
  kBudget     ///< the task's, from its arrival at the task; dropped as over_budget
};

/// The limit of a rule at a task. Last-task dropping has one at tasks without subs alone. Of the rules that
/// look at visits when these have been served (DropAt::kEnd) none has one. Judging at the start (section 6.3:
/// "expected to miss the latency budget for the respective task"), per-task dropping and opportunistic
/// rerouting have the budget before the last tasks, rerouting with what a reroute can make up for
/// (most_made_up). Reconstructed: at the last tasks, where nothing makes up for a delay, every rule that has
/// a limit there has the same (`deadline`), so that systems differ by rerouting alone.
inline TurnLimit turn_limit(EarlyDropping rule, DropAt drop_at, DueBy deadline, bool is_last_task) {
  const bool has_budgets = rule == EarlyDropping::kPerTask || rule == EarlyDropping::kReroute;
  const bool at_every_task = has_budgets && drop_at == DropAt::kStart;
  if (!is_last_task) return at_every_task ? TurnLimit::kBudget : TurnLimit::kUnlimited;
  if (rule != EarlyDropping::kLastTask && !at_every_task) return TurnLimit::kUnlimited;
  return deadline == DueBy::kTask ? TurnLimit::kBudget : TurnLimit::kDeadline;
}

/// By how much a visit may be behind at the module for a reroute at the next task to make up for it, whatever
/// workers have capacity left: the largest difference between the execution times of two variants that have
/// workers, times `factor` where budgets are compared; of several next tasks the largest.
TimeNs most_made_up(const Pipeline& pipeline, const Plan& plan, ModuleId module, RerouteLimit limit,
                    double factor);

/// The rule that routers follow with visits that have been served: none where queues have judged them.
inline EarlyDropping rule_at_end(EarlyDropping rule, DropAt drop_at) {
  return rule == EarlyDropping::kPerTask && drop_at == DropAt::kStart ? EarlyDropping::kOff : rule;
}

/// The execution time by which the next worker must be faster than the drawn one, for a visit that is
/// `behind_ns` behind: all of it, or (RerouteLimit::kBudget) as much as makes the budget, which is the
/// execution time times `factor`, smaller by that: b <= y - x / factor in place of b <= y - x. More than 0
/// for a visit that is behind at all.
TimeNs time_to_save(TimeNs behind_ns, RerouteLimit limit, double factor);

/// Where a visit goes that its worker has served.
struct NextWorker {
  std::uint32_t worker = kNone;  ///< place in the tables' workers; kNone: dropped, with the reason
  bool rerouted = false;         ///< it was taken from the backup table
  DropReason reason = DropReason::kOverBudget;  ///< or no_worker; of a visit that is dropped
};

/// Sends on a visit that has `save_ns` to save (time_to_save). Within budget, or under a rule that looks at
/// the last task alone or at none: to a worker drawn from `table`. Else per-task dropping drops it, and
/// opportunistic rerouting sends it to the most accurate of the workers in `backups` that execute within the
/// drawn worker's time less `save_ns` (at random among equals), or drops it where there is none.
///
/// `cost_rps` is taken off the leftover capacity of the worker that it is rerouted to, which is used until
/// none is left; 0 leaves the backup table as it is.
NextWorker next_worker(EarlyDropping rule, TimeNs save_ns, std::span<const RoutingEntry> table,
                       std::span<Backup> backups, double cost_rps, TableDraws& draws);

/// The place in `backups` of the worker to reroute to: leftover capacity, execution within `limit_ns`, the
/// most accurate, at random among equals; kNone where there is none.
std::uint32_t choose_backup(std::span<const Backup> backups, TimeNs limit_ns, RandomStream& random);

/// A policy for BatchingScheduler. A visit whose batch would end after the limit of the rule in force
/// (routing_tables.h) is dropped when its turn comes: when it would join the batch.
///
/// Reconstructed: the batch is expected to execute as long as one of the planned size (kPlanned), so that no
/// visit that joins later makes it longer; the authors' simulator takes what is queued (kQueued).
class ArrivalOrderPolicy {
 public:
  /// `context` outlives this. Without Loki's plans (resource_manager.h) there are no budgets to keep.
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

  /// Reconstructed after the authors' simulator (its batching "accscale"): what would be late alone is
  /// dropped, from the front; then a batch of all that is queued starts when its first visit must, by order
  /// of arrival, or of as many as still end in time if that is past. It starts kSlackNs earlier, for timers
  /// that come late (live runs).
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

  /// Of the forming batch, which `joined` have joined now and `waiting` more may.
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
  int take_ = 0;  ///< of LaunchRule::kWait: visits of the next batch
  RerouteLimit reroute_limit_;
  double budget_factor_;
  bool makes_up_ = false;  ///< a reroute may make up for what is behind
  TimeNs exec_ns_ = 0;
  TimeNs budget_ns_ = 0;  ///< with what a reroute may make up for
  VisitRing<Waiting> queue_;
};

}  // namespace harness

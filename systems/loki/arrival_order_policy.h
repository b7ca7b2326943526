// A worker of Loki serves its queue in order of arrival, in batches up to the planned size (section 3).
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

// The following functions, which are pure, decide which requests Loki gives up early and where it sends one
// that is behind (section 5.2).

/// Returns the latency budget of a task whose visit runs on a variant with this execution time at its planned
/// batch size: the execution time (section 4.2) times `factor`.
///
/// Reconstructed: section 4.2 names the execution time itself. But half of the SLO is for queues, and section
/// 5.2 says that the SLO is divided into the budgets and compares them with waiting and execution together.
/// With a factor of 2 the budgets add up to the SLO at most; with 1 they add up to half of it, and a visit in
/// a full batch is over budget if it waited at all.
TimeNs latency_budget(TimeNs exec_ns, double factor);

/// Returns the time by which a visit that spent `spent_ns` at a task, waiting and executing, is over the
/// task's budget; 0 if it is within.
inline TimeNs time_behind(TimeNs spent_ns, TimeNs budget_ns) {
  return spent_ns > budget_ns ? spent_ns - budget_ns : 0;
}

/// The limit that a visit must keep to be served when its turn has come in a queue.
enum class TurnLimit : std::uint8_t {
  kUnlimited,
  kDeadline,  ///< its request's deadline; a visit that would miss it is dropped as estimated_late
  kBudget     ///< the task's budget, from its arrival at the task; dropped as over_budget
};

/// Returns the limit of a rule at a task. Last-task dropping has a limit only at tasks without subs. The
/// other rules have no limit in queues if they judge visits after these have been served (DropAt::kEnd). If
/// they judge at the start (section 6.3: "expected to miss the latency budget for the respective task"),
/// per-task dropping and opportunistic rerouting have the budget before the last tasks; rerouting adds the
/// time that a reroute can make up for (most_made_up). Reconstructed: at the last tasks, where nothing makes
/// up for a delay, every rule that has a limit has the same (`deadline`), so that systems differ by rerouting
/// alone.
inline TurnLimit turn_limit(EarlyDropping rule, DropAt drop_at, DueBy deadline, bool is_last_task) {
  const bool has_budgets = rule == EarlyDropping::kPerTask || rule == EarlyDropping::kReroute;
  const bool at_every_task = has_budgets && drop_at == DropAt::kStart;
  if (!is_last_task) return at_every_task ? TurnLimit::kBudget : TurnLimit::kUnlimited;
  if (rule != EarlyDropping::kLastTask && !at_every_task) return TurnLimit::kUnlimited;
  return deadline == DueBy::kTask ? TurnLimit::kBudget : TurnLimit::kDeadline;
}

/// Returns the longest time that a visit may be behind at the module and a reroute at the next task can still
/// make up for, whatever workers have capacity left: the largest difference between the execution times of
/// two variants that have workers, times `factor` if budgets are compared. With several next tasks it is the
/// largest of theirs.
TimeNs most_made_up(const Pipeline& pipeline, const Plan& plan, ModuleId module, RerouteLimit limit,
                    double factor);

/// Returns the rule by which routers judge visits that have been served: kOff if queues have judged them
/// already.
inline EarlyDropping rule_at_end(EarlyDropping rule, DropAt drop_at) {
  return rule == EarlyDropping::kPerTask && drop_at == DropAt::kStart ? EarlyDropping::kOff : rule;
}

/// Returns the execution time that the next worker must save compared with the drawn one, for a visit that is
/// `behind_ns` behind: all of that time or (RerouteLimit::kBudget) as much as makes the budget, which is the
/// execution time times `factor`, smaller by that time: b <= y - x / factor instead of b <= y - x. It is more
/// than 0 if the visit is behind at all.
TimeNs time_to_save(TimeNs behind_ns, RerouteLimit limit, double factor);

/// The next worker of a visit that has been served.
struct NextWorker {
  std::uint32_t worker = kNone;  ///< place in the tables' workers; kNone: dropped, with the reason
  bool rerouted = false;         ///< true if it was taken from the backup table
  DropReason reason = DropReason::kOverBudget;  ///< reason of a drop; or no_worker
};

/// Chooses the next worker of a visit that has `save_ns` to save (time_to_save). A visit within budget, or
/// under a rule that looks at the last task alone or at no task, goes to a worker drawn from `table`.
/// Otherwise per-task dropping drops it. Opportunistic rerouting sends it to the most accurate of the workers
/// in `backups` that execute within the drawn worker's time less `save_ns` (at random among equals), or drops
/// it if no such worker exists.
///
/// `cost_rps` is subtracted from the leftover capacity of the worker that it is rerouted to; a worker is used
/// until no capacity is left. With 0 the backup table stays as it is.
NextWorker next_worker(EarlyDropping rule, TimeNs save_ns, std::span<const RoutingEntry> table,
                       std::span<Backup> backups, double cost_rps, TableDraws& draws);

/// Returns the place in `backups` of the worker to reroute to: the most accurate one, at random among equals,
/// that has leftover capacity and executes within `limit_ns`; kNone if there is no such worker.
std::uint32_t choose_backup(std::span<const Backup> backups, TimeNs limit_ns, RandomStream& random);

/// A policy for BatchingScheduler. A visit is dropped when its turn comes, that is when it would join the
/// batch, if the batch would end after the limit of the rule in force (routing_tables.h).
///
/// Reconstructed: the batch is expected to execute as long as a batch of the planned size (kPlanned), so that
/// no visit that joins later makes it longer; the authors' simulator goes by the visits that are queued
/// (kQueued).
class ArrivalOrderPolicy {
 public:
  /// `context` must outlive this. Without Loki's plans (resource_manager.h) there are no budgets to keep.
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

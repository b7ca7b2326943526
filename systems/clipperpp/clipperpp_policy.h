// Clipper++'s rules for dropping and for the size of batches.
#pragma once

#include <algorithm>
#include <span>

#include "harness/core/params.h"
#include "harness/serving/batching_scheduler.h"
#include "harness/serving/context.h"
#include "harness/serving/visit_ring.h"

namespace harness {

/// The time that a visit's budget limits: since its sending (cumulative), or since its arrival at the module.
enum class ClipperppBudget { kCumulative, kPerModule };
/// The moment at which the budget is compared.
enum class ClipperppCheck { kJoin, kStart };

struct ClipperppParams {
  ClipperppBudget budget = ClipperppBudget::kPerModule;
  ClipperppCheck check_at = ClipperppCheck::kJoin;
  bool aimd = false;
  int aimd_step = 1;
  double aimd_backoff = 0.1;

  void list(ParamList& params) {
    params
        .choice("budget", budget, {"cumulative", "per_module"},
                "per_module: time since arrival at this module against its own budget, nothing carried over; "
                "cumulative: time since sending against the sum of the budgets up to this module")
        .reading();
    params
        .choice("check_at", check_at, {"join", "start"},
                "a visit is over budget as of the moment it is taken into a batch, or as of that batch's "
                "expected start")
        .reading();
    params.flag("aimd", aimd,
                "adapt the batch size by additive increase, multiplicative back-off, within the planned "
                "maximum size");
    params.integer("aimd_step", aimd_step, 1, 64,
                   "aimd: a full batch within the module's budget raises the size by this");
    params.number("aimd_backoff", aimd_backoff, 0, 1,
                  "aimd: a batch over the module's budget lowers the size by this share");
  }
};

/// Additive increase, multiplicative back-off of the batch size (Clipper, NSDI'17), from 1.
class AimdLimit {
 public:
  AimdLimit(int step, double backoff) : step_(step), backoff_(backoff) {}

  void set_most(int most) {
    most_ = most;
    size_ = std::min(size_, static_cast<double>(most));
  }
  /// Takes the latency of a batch of `visits`, of which `budget_ns` is allowed. A batch that was not full
  /// says nothing about larger ones, so only full ones raise the size.
  void on_batch(int visits, TimeNs latency_ns, TimeNs budget_ns) {
    if (latency_ns > budget_ns) {
      size_ = std::max(1.0, size_ * (1.0 - backoff_));
    } else if (visits >= limit()) {
      size_ = std::min(size_ + step_, static_cast<double>(most_));
    }
  }
  int limit() const { return static_cast<int>(size_); }

 private:
  int step_;
  double backoff_;
  double size_ = 1;
  int most_ = 1;
};

/// First in, first out. A visit that has used up its budget when its turn comes is dropped: `expired` when
/// the deadline of the whole request is past, otherwise `over_budget`. A visit exactly at its limit is
/// served.
class ClipperppPolicy {
 public:
  ClipperppPolicy(const ServingContext& context, ModuleId module, const ClipperppParams& params)
      : context_(context), module_(module), params_(params), aimd_(params.aimd_step, params.aimd_backoff) {}

  void on_plan(TimeNs, const Plan& plan) {
    std::vector<double> budgets;
    for (const ModulePlan& each : plan.modules) budgets.push_back(static_cast<double>(each.budget_ns));
    own_budget_ns_ = plan.modules[module_].budget_ns;
    const double before = longest_before(*context_.pipeline, budgets)[module_];
    budget_to_here_ns_ = static_cast<TimeNs>(before) + own_budget_ns_;
    most_ = plan.modules[module_].max_batch;
    aimd_.set_most(most_);
  }

  void push(TimeNs, const Visit& visit) { queue_.push(waiting(visit)); }
  void put_back(TimeNs, const Visit& visit) { queue_.push_front(waiting(visit)); }
  bool erase(VisitId visit) { return queue_.erase(visit); }
  bool empty() const { return queue_.empty(); }
  int batch_limit() const { return params_.aimd ? aimd_.limit() : most_; }

  int fill(TimeNs now, const BatchSlot& slot, Decisions& out) {
    const TimeNs as_of = params_.check_at == ClipperppCheck::kJoin ? now : slot.start_ns;
    int joined = 0;
    while (joined < slot.room && !queue_.empty()) {
      const Waiting visit = queue_.front();
      queue_.pop_front();
      if (as_of > visit.limit_ns) {
        out.drop(visit.id, as_of > visit.deadline_ns ? DropReason::kExpired : DropReason::kOverBudget);
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

  Waiting waiting(const Visit& visit) const {
    const bool cumulative = params_.budget == ClipperppBudget::kCumulative;
    const TimeNs limit = cumulative ? visit.sent_ns + budget_to_here_ns_ : visit.arrived_ns + own_budget_ns_;
    return {visit.id, limit, visit.deadline_ns};
  }

  const ServingContext& context_;
  ModuleId module_;
  ClipperppParams params_;
  AimdLimit aimd_;
  int most_ = 1;
  TimeNs own_budget_ns_ = 0;
  TimeNs budget_to_here_ns_ = 0;
  VisitRing<Waiting> queue_;
};

}  // namespace harness

#include "systems/pard/pard_policy.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "harness/serving/decision.h"

namespace harness {

PardPolicy::PardPolicy(const ServingContext& context, ModuleId module, const PardParams& params,
                       std::shared_ptr<StartEstimates> starts)
    : by_arrival_(params.order == PardOrder::kFcfs),
      from_arrival_(params.counts_from_arrival()),
      counts_drops_(params.counts_drops()),
      singly_(params.execution == ExecutionSize::kAtHand || params.counts_drops()),
      order_(params.order == PardOrder::kHbf ? BudgetOrder::kHigh : BudgetOrder::kLow),
      admission_(context.seed),
      context_(&context),
      params_(params),
      starts_(std::move(starts)),
      module_(module),
      period_ns_(ms_to_ns(context.serving.state_period_ms)) {}

void PardPolicy::set_downstream(double downstream_ns) {
  downstream_ns_ = downstream_ns;
  const bool estimates = params_.estimate != EstimateScope::kOff;
  after_exec_ns_ = estimates ? static_cast<TimeNs>(std::floor(downstream_ns + 0.5)) : -kNever;
  after_start_ns_ = exec_ns_ + after_exec_ns_;
}

void PardPolicy::set_most_waits() {
  const std::int64_t planned = planned_workers_;
  const std::int64_t own = std::clamp(own_workers_, 1, planned_workers_);
  report_.set_most_waits(static_cast<std::size_t>((params_.wait_window * own + planned - 1) / planned));
}

void PardPolicy::on_workers(int workers) {
  own_workers_ = workers;
  report_.set_workers(workers);
  set_most_waits();
}

void PardPolicy::on_plan(TimeNs, const Plan& plan) {
  const ModulePlan& own = plan.modules[module_];
  exec_ns_ = own.exec_ns;
  planned_workers_ = std::max(1, own.workers);
  exec_by_size_.assign(static_cast<std::size_t>(own.max_batch), own.exec_ns);
  for (int size = 1; params_.execution == ExecutionSize::kAtHand && size <= own.max_batch; ++size) {
    exec_by_size_[static_cast<std::size_t>(size - 1)] =
        latency_with_cores(context_->profile(module_, own.device), size, own.cores);
  }
  set_most_waits();
  if (!heard_) downstream_ns_ = starts_->downstream_ns(*context_, module_, params_, plan);
  set_downstream(downstream_ns_);
}

int PardPolicy::fill_singly(TimeNs now, const BatchSlot& slot, Decisions& out) {
  int joined = 0;
  while (joined < slot.room && !empty()) {
    const int size = slot.joined + joined;
    const TimeNs end_ns = slot.start_ns + exec_by_size_[static_cast<std::size_t>(size)];
    const TimeNs due_ns = by_arrival_ ? arrivals_.front().deadline_ns : budgets_.min().key;
    const bool late = due_ns < end_ns + after_exec_ns_;
    const VisitId visit = take(!late && order_ == BudgetOrder::kHigh);
    if (counts_drops_) {
      const TimeNs until_ns = params_.wcl_visits == WclVisits::kExpected ? end_ns : now;
      const TimeNs arrived_ns = arrived_ns_.extract(visit).mapped();
      if (late) report_.add_latency(until_ns - arrived_ns);
    }
    if (late) {
      drop(visit, kLate, out);
    } else {
      out.join(slot.worker, visit);
      ++joined;
    }
  }
  return joined;
}

VisitId PardPolicy::take(bool from_high_end) {
  if (!by_arrival_) return (from_high_end ? budgets_.pop_max() : budgets_.pop_min()).id;
  const VisitId visit = arrivals_.front().id;
  arrivals_.pop_front();
  return visit;
}

void PardPolicy::on_state(TimeNs, ModuleId module, std::span<const double> state) {
  if (module != module_) return;
  const PardState::ForWorker received = PardState::unpack_for_worker(state);
  heard_ = true;
  set_downstream(received.downstream_ns);
  admission_.set(received.admitted);
  if (params_.order == PardOrder::kAdaptive || params_.order == PardOrder::kInstant) order_ = received.order;
}

void PardPolicy::start(TimeNs now, Decisions& out) { out.wake_at((now / period_ns_ + 1) * period_ns_); }

void PardPolicy::on_timer(TimeNs now, Decisions& out) {
  out.report(report_.values());
  report_.clear();
  start(now, out);
}

}  // namespace harness

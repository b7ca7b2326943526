#include "systems/pard/pard_controller.h"

#include <algorithm>
#include <iterator>

namespace harness {
PardController::PardController(const ServingContext& context, ModuleId module, const PardParams& params)
    : module_(module),
      rule_(params.order),
      fresh_(params.exchange == StateExchange::kFresh),
      period_s_(context.serving.state_period_ms / 1000),
      queueing_(context.serving.periods_in(params.queueing_window_s)),
      band_(context.serving.periods_in(params.rate_window_s)),
      waits_(params.wait_window),
      worst_(context.serving.periods_in(params.wcl_window_s)),
      downstream_(context, module, params),
      overload_(*context.pipeline, module, params),
      order_(params.order == PardOrder::kHbf ? BudgetOrder::kHigh : BudgetOrder::kLow),
      heard_(context.pipeline->modules.size(), 0) {}

void PardController::on_plan(TimeNs, const Plan& plan) {
  plan_ = plan.modules[module_];
  waits_.set_exec(plan_.exec_ns);
  downstream_.on_plan(plan);
  if (fresh_ && estimated_ == 0) latest_ = downstream_.compute(0);
}

void PardController::on_report(TimeNs, QueueId queue, std::span<const double> values, Publication&) {
  const PardReport::View report = PardReport::view(values);
  queues_[queue] = {report.workers, 0};
  arrived_ += report.arrived;
  dropped_ += report.dropped;
  started_ += report.started;
  queueing_sum_ns_ += report.queueing_ns;
  worst_ns_ = std::max(worst_ns_, report.worst_ns);
  for (const double wait : report.waits_ns) waits_.add(wait);
}

double PardController::serving_workers() {
  double workers = 0;
  for (auto queue = queues_.begin(); queue != queues_.end();) {
    workers += queue->second.workers;
    queue = ++queue->second.silent_periods > kForgetAfter ? queues_.erase(queue) : std::next(queue);
  }
  return workers > 0 ? workers : plan_.workers;
}

PardState PardController::own_state() {
  PardState state;
  state.period = static_cast<double>(period_);
  state.exec_ns = static_cast<double>(plan_.exec_ns);
  state.batch = plan_.max_batch;
  queueing_.add(queueing_sum_ns_, started_);
  state.queueing_ns = queueing_.mean_ns();
  state.input_rps = arrived_ / period_s_;
  state.throughput_rps = serving_workers() * plan_.max_batch / ns_to_s(plan_.exec_ns);
  state.drop_rate = arrived_ > 0 ? dropped_ / arrived_ : 0;
  state.load = state.input_rps / state.throughput_rps;
  band_.add(state.input_rps);
  state.band = band_.eps();
  if (rule_ == PardOrder::kAdaptive || rule_ == PardOrder::kInstant)
    order_ = next_order(order_, state.load, rule_ == PardOrder::kInstant ? 0.0 : state.band);
  state.order = order_;
  worst_.add(worst_ns_);
  state.worst_ns = worst_.worst_ns();
  overload_.on_period(started_ > 0 ? queueing_sum_ns_ / started_ : 0);
  state.level = overload_.level();
  state.table = waits_.table();
  state.waits = static_cast<double>(waits_.count());
  return state;
}

bool PardController::estimate_if_complete() {
  std::int64_t complete = period_;
  for (const ModuleId module : downstream_.sources()) complete = std::min(complete, heard_[module]);
  if (complete <= estimated_) return false;
  for (; estimated_ < complete; ++estimated_) {
    downstream_.on_state(module_, own_.front());
    own_.pop_front();
  }
  latest_ = downstream_.compute(complete);
  return true;
}

void PardController::publish(Publication& out) {
  state_.downstream_ns = latest_.downstream_ns;
  state_.wait_ns = latest_.wait_ns;
  state_.budget_ns = latest_.budget_ns;
  state_.admitted = overload_.admitted();
  state_.pack(packed_);
  out.publish(packed_);
}

void PardController::on_period(TimeNs, Publication& out) {
  ++period_;
  state_ = own_state();
  if (fresh_) {
    own_.push_back(state_);
    estimate_if_complete();
  } else {
    latest_ = downstream_.compute(period_);
    downstream_.on_state(module_, state_);
  }
  publish(out);
  arrived_ = dropped_ = started_ = queueing_sum_ns_ = worst_ns_ = 0;
}

void PardController::on_state(TimeNs, ModuleId module, std::span<const double> state, Publication& out) {
  const PardState received = PardState::unpack(state);
  downstream_.on_state(module, received);
  heard_[module] = static_cast<std::int64_t>(received.period);
  const bool estimated = fresh_ && estimate_if_complete();
  const bool admits_other = overload_.on_level(module, received.level);
  if (period_ > 0 && (estimated || admits_other)) publish(out);
}

}  // namespace harness

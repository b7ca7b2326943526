#include "systems/pard/pard_controller.h"

#include <algorithm>
#include <iterator>

namespace harness {
PardController::PardController(const ServingContext& context, ModuleId module, const PardParams& params)
    : module_(module),
      rule_(params.order),
      period_s_(context.serving.state_period_ms / 1000),
      queueing_(context.serving.periods_in(params.queueing_window_s)),
      band_(context.serving.periods_in(params.rate_window_s)),
      waits_(params.wait_window),
      worst_(context.serving.periods_in(params.wcl_window_s)),
      downstream_(context, module, params),
      overload_(*context.pipeline, module, params),
      order_(params.order == PardOrder::kHbf ? BudgetOrder::kHigh : BudgetOrder::kLow) {}

void PardController::on_plan(TimeNs, const Plan& plan) {
  plan_ = plan.modules[module_];
  waits_.set_exec(plan_.exec_ns);
  downstream_.on_plan(plan);
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

PardState PardController::compute() {
  PardState state;
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
  const DownstreamEstimate::Value downstream = downstream_.compute();
  state.downstream_ns = downstream.downstream_ns;
  state.wait_ns = downstream.wait_ns;
  state.budget_ns = downstream.budget_ns;
  worst_.add(worst_ns_);
  state.worst_ns = worst_.worst_ns();
  overload_.on_period(started_ > 0 ? queueing_sum_ns_ / started_ : 0);
  state.level = overload_.level();
  state.admitted = overload_.admitted();
  state.table = waits_.table();
  state.waits = static_cast<double>(waits_.count());
  return state;
}

void PardController::on_period(TimeNs, Publication& out) {
  const PardState state = compute();
  state.pack(packed_);
  out.publish(packed_);
  downstream_.on_state(module_, state);
  arrived_ = dropped_ = started_ = queueing_sum_ns_ = worst_ns_ = 0;
}

void PardController::on_state(TimeNs, ModuleId module, std::span<const double> state, Publication& out) {
  const PardState received = PardState::unpack(state);
  downstream_.on_state(module, received);
  if (!overload_.on_level(module, received.level) || packed_.empty()) return;
  PardState::repack_admitted(packed_, overload_.admitted());
  out.publish(packed_);
}

}  // namespace harness

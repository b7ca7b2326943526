#include "systems/rag/rag_controller.h"

namespace harness {

RagController::RagController(const ServingContext& context, ModuleId module, const RagParams& params)
    : context_(context),
      module_(module),
      lambda_(params.lambda),
      queueing_(context.serving.periods_in(params.average_window_s)),
      exec_(queueing_),
      slowdown_(queueing_) {
  for (const Profile* profile : context.profiles) measured_.push_back(assumed(*profile));
}

void RagController::on_plan(TimeNs, const Plan& plan) { plan_ = plan; }

void RagController::on_report(TimeNs, QueueId, std::span<const double> values, Publication&) {
  const RagReport report = RagReport::of(values);
  period_.started += report.started;
  period_.queueing_ns += report.queueing_ns;
  period_.done += report.done;
  period_.exec_ns += report.exec_ns;
  period_.alone_ns += report.alone_ns;
}

void RagController::on_period(TimeNs, Publication& out) {
  queueing_.add(period_.queueing_ns, period_.started);
  exec_.add(period_.exec_ns, period_.done);
  slowdown_.add(period_.exec_ns, period_.alone_ns);
  period_ = {};
  const RagMeasured fallback = assumed(*context_.profiles[module_]);
  RagState state;
  state.own = {queueing_.mean_or(0), exec_.mean_or(fallback.exec_ns), slowdown_.mean_or(1)};
  measured_[module_] = state.own;
  state.downstream_ns = downstream_ns(context_, module_, plan_, measured_, lambda_);
  out.publish(state.values());
}

void RagController::on_state(TimeNs, ModuleId module, std::span<const double> state, Publication&) {
  measured_[module] = RagState::of(state).own;
}

}  // namespace harness

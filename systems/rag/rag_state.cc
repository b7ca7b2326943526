#include "systems/rag/rag_state.h"

#include "harness/core/error.h"

namespace harness {

RagReport RagReport::of(std::span<const double> values) {
  HARNESS_CHECK(values.size() == kSize, "a report is not rag's");
  return {values[0], values[1], values[2], values[3], values[4]};
}

RagState RagState::of(std::span<const double> values) {
  HARNESS_CHECK(values.size() == kSize, "a published state is not rag's");
  return {{values[0], values[1], values[2]}, values[3]};
}

RagMeasured assumed(const Profile& profile) {
  RagMeasured measured;
  const bool prefill_alone = profile.service == Service::kShared && profile.shared.ends_at_first_token;
  if (!prefill_alone) measured.exec_ns = static_cast<double>(profile.latency(1));
  return measured;
}

double downstream_ns(const ServingContext& context, ModuleId module, const Plan& plan,
                     const std::vector<RagMeasured>& measured, double lambda) {
  std::vector<double> cost;
  for (std::size_t m = 0; m < measured.size(); ++m) {
    const bool is_batch = context.profiles[m]->service == Service::kBatch;
    const double batch_ns = (1 + lambda) * static_cast<double>(plan.modules[m].exec_ns);
    cost.push_back(measured[m].queueing_ns + (is_batch ? batch_ns : measured[m].exec_ns));
  }
  return longest_after(*context.pipeline, cost)[module];
}

void RecentMean::add(double sum, double count) {
  recent_.push_back({sum, count});
  if (recent_.size() > periods_) recent_.pop_front();
}

double RecentMean::mean_or(double otherwise) const {
  double sum = 0;
  double count = 0;
  double weight = static_cast<double>(periods_ - recent_.size());
  for (const Period& period : recent_) {
    weight += 1;
    sum += weight * period.sum;
    count += weight * period.count;
  }
  return count > 0 ? sum / count : otherwise;
}

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

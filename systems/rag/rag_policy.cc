#include "systems/rag/rag_policy.h"

#include <algorithm>

#include "harness/core/drop_reason.h"
#include "harness/serving/decision.h"
#include "harness/serving/visit.h"

namespace harness {

RagPolicy::RagPolicy(const ServingContext& context, ModuleId module, const RagParams& params)
    : context_(&context),
      module_(module),
      params_(params),
      period_ns_(ms_to_ns(context.serving.state_period_ms)),
      measured_(assumed(*context.profiles[module])) {
  const std::vector<bool> is_later = modules_after(*context.pipeline, module);
  for (ModuleId later = 0; later < is_later.size(); ++later) {
    if (is_later[later] && ends_at_first_token(later)) later_prefills_.push_back(later);
  }
}

bool RagPolicy::ends_at_first_token(ModuleId module) const {
  const Profile& profile = *context_->profiles[module];
  return profile.service == Service::kShared && profile.shared.ends_at_first_token;
}

void RagPolicy::on_plan(TimeNs, const Plan& plan) {
  batch_ns_ = static_cast<double>(plan.modules[module_].exec_ns);
  if (heard_) return;
  std::vector<RagMeasured> nothing;
  for (const Profile* profile : context_->profiles) nothing.push_back(assumed(*profile));
  downstream_ns_ = downstream_ns(*context_, module_, plan, nothing, params_.lambda);
}

void RagPolicy::on_state(TimeNs, ModuleId module, std::span<const double> values) {
  if (module != module_) return;
  const RagState state = RagState::of(values);
  measured_ = state.own;
  downstream_ns_ = state.downstream_ns;
  heard_ = true;
}

double RagPolicy::prefill_at_ns(RequestId request, ModuleId module) const {
  return prefill_ns(context_->profiles[module]->shared, context_->sizes->input_tokens(request, module));
}

double RagPolicy::here_ns(RequestId request) const {
  const Profile& profile = *context_->profiles[module_];
  if (profile.service == Service::kBatch) return batch_ns_;
  if (ends_at_first_token(module_)) return prefill_at_ns(request, module_) + measured_.exec_ns;
  if (profile.service == Service::kDelay || params_.policy != RagDropping::kPredict) return measured_.exec_ns;
  // Only the oracle knows the output's length: the output has not been made yet.
  const double output = context_->sizes->oracle_output_tokens(request, module_);
  const double input = context_->sizes->input_tokens(request, module_);
  return alone_ns(profile.shared, input, output) * measured_.slowdown;
}

double RagPolicy::remaining_ns(RequestId request) const {
  double remaining = here_ns(request) + downstream_ns_;
  for (const ModuleId later : later_prefills_) remaining += prefill_at_ns(request, later);
  return remaining;
}

int RagPolicy::fill(TimeNs, const BatchSlot& slot, Decisions& out) {
  const bool reactive = params_.policy == RagDropping::kReactive;
  int joined = 0;
  while (joined < slot.room && !queue_.empty()) {
    const Waiting visit = queue_.front();
    queue_.pop_front();
    if (slot.start_ns > visit.deadline_ns) {
      out.drop(visit.id, DropReason::kExpired);
      continue;
    }
    const double budget_ns = static_cast<double>(visit.deadline_ns - slot.start_ns);
    if (!reactive && remaining_ns(visit.request) > budget_ns) {
      out.drop(visit.id, DropReason::kEstimatedLate);
      continue;
    }
    out.join(slot.worker, visit.id);
    joined_[visit.id] = {visit.request, slot.worker};
    ++joined;
  }
  return joined;
}

void RagPolicy::on_started(TimeNs, const BatchView& batch) {
  for (const BatchVisit& visit : batch.visits) {
    report_.started += 1;
    report_.queueing_ns += static_cast<double>(visit.joined_ns - visit.arrived_ns);
  }
}

void RagPolicy::on_done(TimeNs now, const BatchView& batch) {
  for (const BatchVisit& visit : batch.visits) {
    const auto found = joined_.find(visit.id);
    measure(now - batch.started_ns, found->second.request);
    joined_.erase(found);
  }
}

void RagPolicy::on_lost(WorkerId worker) {
  std::erase_if(joined_, [worker](const auto& joined) { return joined.second.worker == worker; });
}

void RagPolicy::measure(TimeNs exec_ns, RequestId request) {
  const Profile& profile = *context_->profiles[module_];
  auto taken_ns = static_cast<double>(exec_ns);
  if (ends_at_first_token(module_)) {
    taken_ns = std::max(0.0, taken_ns - prefill_at_ns(request, module_));
  } else if (profile.service == Service::kShared) {
    // The output has been made: its length is no secret any more.
    const TokenCount tokens = context_->sizes->of(request, module_);
    report_.alone_ns += alone_ns(profile.shared, tokens.input, tokens.output);
  }
  report_.done += 1;
  report_.exec_ns += taken_ns;
}

void RagPolicy::start(TimeNs now, Decisions& out) { out.wake_at((now / period_ns_ + 1) * period_ns_); }

void RagPolicy::on_timer(TimeNs now, Decisions& out) {
  out.report(report_.values());
  report_ = {};
  start(now, out);
}

}  // namespace harness

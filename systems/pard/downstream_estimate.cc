#include "systems/pard/downstream_estimate.h"

#include "harness/core/input_error.h"

namespace harness {
namespace {

double lambda_of(const PardParams& params) {
  switch (params.downstream_wait) {
    case DownstreamWait::kZero:
      return 0;
    case DownstreamWait::kSumD:
      return 1;
    case DownstreamWait::kQuantile:
      break;
  }
  return params.lambda;
}

std::vector<std::vector<ModuleId>> checked_paths(const Pipeline& pipeline, ModuleId module) {
  std::vector<double> count(pipeline.modules.size(), 0);
  for (std::size_t i = count.size(); i-- > 0;) {
    for (const ModuleId sub : pipeline.modules[i].subs) count[i] += count[sub];
    if (pipeline.modules[i].subs.empty()) count[i] = 1;
  }
  if (count[module] > DownstreamEstimate::kMaxPaths) {
    throw input_error({pipeline.name, 0, "pipeline"},
                      "more than 1024 paths behind module '" + pipeline.modules[module].name + "'",
                      "for PARD at most 1024 paths from a module to the sinks");
  }
  return paths_after(pipeline, module);
}

std::vector<ModuleId> sources_of(const Pipeline& pipeline, ModuleId module, EstimateScope scope) {
  const std::vector<bool> later = modules_after(pipeline, module);
  std::vector<ModuleId> sources;
  for (ModuleId other = 0; other < pipeline.modules.size(); ++other) {
    const bool uses = scope == EstimateScope::kWcl || (scope == EstimateScope::kFull && later[other]);
    if (uses && other != module) sources.push_back(other);
  }
  return sources;
}

}  // namespace

DownstreamEstimate::DownstreamEstimate(const ServingContext& context, ModuleId module,
                                       const PardParams& params)
    : splits_(params.splits()),
      split_(context, module, params),
      slo_ns_(context.slo_ns),
      scope_(params.estimate),
      lambda_(lambda_of(params)),
      paths_(checked_paths(*context.pipeline, module)),
      sources_(sources_of(*context.pipeline, module, params.estimate)),
      later_(context.pipeline->modules.size()),
      sampler_(context.seed, module, params.wait_samples) {}

void DownstreamEstimate::on_plan(const Plan& plan) {
  for (std::size_t i = 0; i < later_.size(); ++i) {
    const TimeNs exec_ns = plan.modules[i].exec_ns;
    later_[i].exec_ns = static_cast<double>(exec_ns);
    if (!later_[i].heard) later_[i].waits = WaitTable::uniform(exec_ns);
  }
  if (splits_) split_.on_plan(plan);
}

void DownstreamEstimate::on_state(ModuleId module, const PardState& state) {
  if (splits_) {
    split_.on_worst(module, static_cast<TimeNs>(state.worst_ns));
    return;
  }
  Later& later = later_[module];
  later.queueing_ns = state.queueing_ns;
  later.waits = state.table;
  later.heard = true;
}

double DownstreamEstimate::wait_of(const std::vector<ModuleId>& path, double exec_sum_ns) {
  if (lambda_ <= 0) return 0;
  if (lambda_ >= 1) return exec_sum_ns;
  tables_.clear();
  for (const ModuleId module : path) tables_.push_back(&later_[module].waits);
  return sampler_.quantile(tables_, lambda_);
}

DownstreamEstimate::Value DownstreamEstimate::compute(std::int64_t period) {
  if (splits_) {
    split_.on_period(period);
    return {static_cast<double>(slo_ns_ - split_.allowed_ns()), 0, static_cast<double>(split_.own_ns())};
  }
  Value value = longest();
  value.budget_ns = static_cast<double>(slo_ns_) - value.downstream_ns;
  return value;
}

DownstreamEstimate::Value DownstreamEstimate::longest() {
  Value longest;
  if (scope_ == EstimateScope::kBack || scope_ == EstimateScope::kOff) return longest;
  for (const std::vector<ModuleId>& path : paths_) {
    double exec = 0;
    double queueing = 0;
    for (const ModuleId module : path) {
      exec += later_[module].exec_ns;
      queueing += later_[module].queueing_ns;
    }
    Value value{exec, 0, 0};
    if (scope_ == EstimateScope::kFull) {
      value.wait_ns = wait_of(path, exec);
      value.downstream_ns += queueing + value.wait_ns;
    }
    if (value.downstream_ns > longest.downstream_ns) longest = value;
  }
  return longest;
}

}  // namespace harness

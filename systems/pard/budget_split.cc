#include "systems/pard/budget_split.h"

#include <algorithm>

namespace harness {

std::vector<TimeNs> proportional_budgets(const Pipeline& pipeline, const std::vector<TimeNs>& latency_ns,
                                         TimeNs slo_ns) {
  __extension__ using Wide = __int128;
  const std::vector<double> cost(latency_ns.begin(), latency_ns.end());
  const auto path = static_cast<TimeNs>(cost[0] + longest_after(pipeline, cost)[0]);
  std::vector<TimeNs> budgets;
  for (const TimeNs latency : latency_ns) {
    budgets.push_back(static_cast<TimeNs>(static_cast<Wide>(slo_ns) * latency / path));
  }
  return budgets;
}

BudgetSplit::BudgetSplit(const ServingContext& context, ModuleId module, const PardParams& params)
    : context_(&context),
      module_(module),
      cumulative_(params.budget == SplitBudget::kCumulative),
      follows_worst_(params.estimate == EstimateScope::kWcl),
      every_periods_(context.serving.periods_in(params.wcl_period_s)),
      known_(context.pipeline->modules.size()),
      budgets_(known_.size()) {}

void BudgetSplit::on_plan(const Plan& plan) {
  const bool from_plan = !follows_worst_ || !all_heard();
  for (std::size_t i = 0; i < known_.size(); ++i) {
    known_[i].exec_ns = plan.modules[i].exec_ns;
    if (from_plan) budgets_[i] = plan.modules[i].budget_ns;
  }
}

void BudgetSplit::on_worst(ModuleId module, TimeNs worst_ns) {
  known_[module].worst_ns = worst_ns;
  known_[module].heard = true;
}

bool BudgetSplit::all_heard() const {
  return std::all_of(known_.begin(), known_.end(), [](const Known& known) { return known.heard; });
}

void BudgetSplit::on_period() {
  ++periods_;
  if (!follows_worst_ || periods_ % every_periods_ != 0 || !all_heard()) return;
  std::vector<TimeNs> latency_ns;
  for (const Known& known : known_) latency_ns.push_back(known.worst_ns > 0 ? known.worst_ns : known.exec_ns);
  budgets_ = proportional_budgets(*context_->pipeline, latency_ns, context_->slo_ns);
}

TimeNs BudgetSplit::allowed_ns() const {
  if (!cumulative_) return own_ns();
  const std::vector<double> budgets(budgets_.begin(), budgets_.end());
  return static_cast<TimeNs>(longest_before(*context_->pipeline, budgets)[module_]) + own_ns();
}

}  // namespace harness

#include "systems/pard/budget_split.h"

#include <algorithm>

#include "harness/serving/common_plans.h"

namespace harness {

BudgetSplit::BudgetSplit(const ServingContext& context, ModuleId module, const PardParams& params)
    : context_(&context),
      module_(module),
      cumulative_(params.budget == SplitBudget::kCumulative),
      follows_worst_(params.estimate == EstimateScope::kWcl),
      every_periods_(static_cast<std::int64_t>(context.serving.periods_in(params.wcl_period_s))),
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

void BudgetSplit::on_period(std::int64_t period) {
  if (!follows_worst_ || period % every_periods_ != 0 || !all_heard()) return;
  std::vector<TimeNs> latency_ns;
  for (const Known& known : known_) latency_ns.push_back(known.worst_ns > 0 ? known.worst_ns : known.exec_ns);
  budgets_ = proportional_budgets(*context_, latency_ns);
}

TimeNs BudgetSplit::allowed_ns() const {
  if (!cumulative_) return own_ns();
  const std::vector<double> budgets(budgets_.begin(), budgets_.end());
  return static_cast<TimeNs>(longest_before(*context_->pipeline, budgets)[module_]) + own_ns();
}

}  // namespace harness

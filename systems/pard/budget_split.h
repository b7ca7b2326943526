// The SLO divided over the modules, which PARD-split and PARD-WCL use instead of an estimate (PARD section
// 5.3).
#pragma once

#include <cstdint>
#include <vector>

#include "harness/core/types.h"
#include "harness/serving/plan.h"
#include "harness/serving/serving_context.h"
#include "systems/pard/pard_params.h"

namespace harness {

/// The budgets of all modules as one of them knows them. PARD-split takes the plan's budgets. PARD-WCL does
/// too until every module's first state has arrived; from then on its budgets are in proportion to the worst
/// latencies published last, the module's own included, so that all modules divide alike. A module in which
/// no visit started lately counts with its d.
class BudgetSplit {
 public:
  BudgetSplit(const ServingContext& context, ModuleId module, const PardParams& params);

  void on_plan(const Plan& plan);
  /// Tells it that a module, perhaps its own, has published its worst latency; 0 if no visit started there.
  void on_worst(ModuleId module, TimeNs worst_ns);
  /// Tells it that a state period has ended, counted from 1. Re-allocates the budgets every wcl_period_s.
  void on_period(std::int64_t period);

  /// Returns the budget of this module alone.
  TimeNs own_ns() const { return budgets_[module_]; }
  /// Returns the time that the rule allows: the module's own budget or, if budgets are cumulative, the sum of
  /// its own and all before it on the longest path.
  TimeNs allowed_ns() const;

 private:
  struct Known {
    TimeNs exec_ns = 0;
    TimeNs worst_ns = 0;
    bool heard = false;
  };

  bool all_heard() const;

  const ServingContext* context_;
  ModuleId module_;
  bool cumulative_;
  bool follows_worst_;
  std::int64_t every_periods_;
  std::vector<Known> known_;
  std::vector<TimeNs> budgets_;
};

}  // namespace harness

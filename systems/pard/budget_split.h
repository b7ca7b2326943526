// The SLO divided over the modules: what PARD-split and PARD-WCL use instead of an estimate (PARD section
// 5.3).
#pragma once

#include <cstddef>
#include <vector>

#include "harness/serving/context.h"
#include "harness/serving/plan.h"
#include "systems/pard/pard_params.h"

namespace harness {

/// SLO x latency_k / the sum of the latencies along the longest path, per module, rounded down.
std::vector<TimeNs> proportional_budgets(const Pipeline& pipeline, const std::vector<TimeNs>& latency_ns,
                                         TimeNs slo_ns);

/// The budgets of all modules as one of them knows them. PARD-split: those of the plan. PARD-WCL: the same
/// until every module's first state has arrived, from then on in proportion to the worst latencies published
/// last, its own too, so that all modules divide alike. A module in which nothing started lately counts with
/// its d.
class BudgetSplit {
 public:
  BudgetSplit(const ServingContext& context, ModuleId module, const PardParams& params);

  void on_plan(const Plan& plan);
  /// A module, perhaps the own, has published its worst latency; 0: nothing started there.
  void on_worst(ModuleId module, TimeNs worst_ns);
  /// The end of a state period; re-allocates where wcl_period_s says so.
  void on_period();

  /// The budget of this module alone.
  TimeNs own_ns() const { return budgets_[module_]; }
  /// What its rule allows: the own budget, or (cumulative) with all before it, on the longest path.
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
  std::size_t every_periods_;
  std::size_t periods_ = 0;
  std::vector<Known> known_;
  std::vector<TimeNs> budgets_;
};

}  // namespace harness

// L_sub, the latency that a request still has before it after a module (PARD section 4.2, Eqs. 1 and 3), and
// the split of the SLO for PARD-split (section 5.3).
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "harness/serving/context.h"
#include "harness/serving/plan.h"
#include "systems/pard/batch_wait.h"
#include "systems/pard/pard_params.h"
#include "systems/pard/pard_state.h"

namespace harness {

// The SLO divided over the modules, which PARD-split and PARD-WCL use instead of an estimate (PARD section
// 5.3).

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

/// Holds the states of the later modules and estimates the latency from the end of the execution at `module`
/// to the end of the request: the maximum over the paths to a sink of sum(q_i + d_i) + w.
///
/// d_i is the plan's, as a state may be older than the plan. Until a module's first state arrives, q_i = 0
/// and its batch waits are U(0, d_i).
///
/// If the SLO is split instead (PARD-split, PARD-WCL), L_sub is the SLO less the time that the budgets allow:
/// a visit then joins iff t_e + d_k <= t + SLO - L_sub, t being the sending or the arrival at the module.
class DownstreamEstimate {
 public:
  /// Draws `params.wait_samples` random sums per path. Throws InputError for a pipeline with more than
  /// kMaxPaths paths behind `module`.
  DownstreamEstimate(const ServingContext& context, ModuleId module, const PardParams& params);
  static constexpr double kMaxPaths = 1024;

  void on_plan(const Plan& plan);
  void on_state(ModuleId module, const PardState& state);
  /// Returns the other modules whose states it uses: the later ones or, for wcl, all, since all divide alike.
  const std::vector<ModuleId>& sources() const { return sources_; }

  struct Value {
    double downstream_ns = 0;  ///< L_sub
    double wait_ns = 0;        ///< w of the path that decides it
    double budget_ns = 0;      ///< budget of the module alone if the SLO is split, else SLO - L_sub
  };
  /// Computes L_sub. Called once per state period, counted from 1 (0: from the plan alone, before the first).
  /// Draws new samples if a quantile is needed, and re-allocates the budgets of wcl.
  Value compute(std::int64_t period);

 private:
  struct Later {
    double queueing_ns = 0;
    double exec_ns = 0;
    WaitTable waits;
    bool heard = false;
  };

  Value longest();
  double wait_of(const std::vector<ModuleId>& path, double exec_sum_ns);

  bool splits_;
  BudgetSplit split_;
  TimeNs slo_ns_;
  EstimateScope scope_;
  double lambda_;
  std::vector<std::vector<ModuleId>> paths_;
  std::vector<ModuleId> sources_;
  std::vector<Later> later_;  ///< state of each module; only the modules on the paths are used
  BatchWaitSampler sampler_;
  std::vector<const WaitTable*> tables_;
};

/// The values with which the queues of one cell begin: L_sub of a plan alone, before any state. It takes as
/// many draws as a state period's, and all queues of a module begin with the same value, so it is computed
/// once for each module. Serves one context and one set of parameters; only the schedulers' thread uses it.
class StartEstimates {
 public:
  double downstream_ns(const ServingContext& context, ModuleId module, const PardParams& params,
                       const Plan& plan);

 private:
  struct Made {
    Plan plan;
    double downstream_ns = 0;
  };

  std::map<ModuleId, Made> made_;  ///< value of each module for the latest plan
};

}  // namespace harness

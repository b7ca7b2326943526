// L_sub: the latency that a request still has before it behind a module (PARD section 4.2, Eqs. 1 and 3), and
// how the SLO is split for PARD-split (section 5.3).
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

// The SLO divided over the modules: what PARD-split and PARD-WCL use instead of an estimate (PARD section
// 5.3).

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
  /// The end of that state period, counted from 1; re-allocates where wcl_period_s says so.
  void on_period(std::int64_t period);

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
  std::int64_t every_periods_;
  std::vector<Known> known_;
  std::vector<TimeNs> budgets_;
};

/// Holds what is known of the later modules and estimates the latency from the end of the execution at
/// `module` to the end of the request: the maximum over the paths to a sink of sum(q_i + d_i) + w.
///
/// d_i is the plan's: a state may be older than the plan. Until a module's first state arrives, q_i = 0 and
/// its batch waits are U(0, d_i).
///
/// Where the SLO is split instead (PARD-split, PARD-WCL), L_sub is what the budgets leave of the SLO: a visit
/// then joins iff t_e + d_k <= t + SLO - L_sub, t the sending or the arrival at the module.
class DownstreamEstimate {
 public:
  /// `samples` random sums per path. Throws InputError for a pipeline with more than kMaxPaths paths behind
  /// `module`.
  DownstreamEstimate(const ServingContext& context, ModuleId module, const PardParams& params);
  static constexpr double kMaxPaths = 1024;

  void on_plan(const Plan& plan);
  void on_state(ModuleId module, const PardState& state);
  /// The other modules whose states it uses: the later ones; wcl: all, since all divide alike.
  const std::vector<ModuleId>& sources() const { return sources_; }

  struct Value {
    double downstream_ns = 0;  ///< L_sub
    double wait_ns = 0;        ///< w of the path that decides it
    double budget_ns = 0;      ///< of the module alone where the SLO is split, else SLO - L_sub
  };
  /// Once per state period, counted from 1 (0: from the plan alone, before the first). Draws new samples
  /// where a quantile is needed; re-allocates the budgets of wcl.
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
  std::vector<Later> later_;  ///< by module; only those on the paths are used
  BatchWaitSampler sampler_;
  std::vector<const WaitTable*> tables_;
};

/// What the queues of one cell begin with: L_sub of a plan alone, before any state. It takes as many draws as
/// a state period's, and all queues of a module begin with the same, so it is made once for each module. Of
/// one context and one set of parameters; used by the schedulers' thread alone.
class StartEstimates {
 public:
  double downstream_ns(const ServingContext& context, ModuleId module, const PardParams& params,
                       const Plan& plan);

 private:
  struct Made {
    Plan plan;
    double downstream_ns = 0;
  };

  std::map<ModuleId, Made> made_;  ///< for the plan asked for last
};

}  // namespace harness

// L_sub: the latency that a request still has before it behind a module (PARD section 4.2, Eqs. 1 and 3).
#pragma once

#include <vector>

#include "harness/serving/context.h"
#include "harness/serving/plan.h"
#include "systems/pard/batch_wait.h"
#include "systems/pard/budget_split.h"
#include "systems/pard/pard_params.h"
#include "systems/pard/pard_state.h"

namespace harness {

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
  /// `samples` random sums per path. Throws InputError for a pipeline with more than kMostPaths paths behind
  /// `module`.
  DownstreamEstimate(const ServingContext& context, ModuleId module, const PardParams& params);
  static constexpr double kMostPaths = 1024;

  void on_plan(const Plan& plan);
  void on_state(ModuleId module, const PardState& state);

  struct Value {
    double downstream_ns = 0;  ///< L_sub
    double wait_ns = 0;        ///< w of the path that decides it
    double budget_ns = 0;      ///< of the module alone where the SLO is split, else SLO - L_sub
  };
  /// Once per state period. Draws new samples where a quantile is needed; re-allocates the budgets of wcl.
  Value compute();

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
  std::vector<Later> later_;  ///< by module; only those on the paths are used
  BatchWaitSampler sampler_;
  std::vector<const WaitTable*> tables_;
};

}  // namespace harness

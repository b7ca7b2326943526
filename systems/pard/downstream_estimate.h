// L_sub, the latency that a request still has before it after a module (PARD section 4.2, Eqs. 1 and 3).
#pragma once

#include <cstdint>
#include <vector>

#include "harness/core/types.h"
#include "harness/serving/plan.h"
#include "harness/serving/serving_context.h"
#include "systems/pard/batch_wait_sampler.h"
#include "systems/pard/budget_split.h"
#include "systems/pard/pard_params.h"
#include "systems/pard/pard_state.h"
#include "systems/pard/wait_table.h"

namespace harness {

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

}  // namespace harness

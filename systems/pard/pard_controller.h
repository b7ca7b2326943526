// PARD's State Planner (sections 4.1 and 4.2): one per module.
#pragma once

#include <map>
#include <vector>

#include "harness/serving/context.h"
#include "harness/serving/controller.h"
#include "systems/pard/batch_wait.h"
#include "systems/pard/downstream_estimate.h"
#include "systems/pard/pard_params.h"
#include "systems/pard/pard_policy.h"
#include "systems/pard/pard_state.h"
#include "systems/pard/windows.h"

namespace harness {

/// Gathers its queues' reports (PardReport) and publishes the module's state (PardState) once per period.
/// States of other modules count from the next period on; only when a later module's overload changes what
/// this one may admit, it publishes at once, its last state with the new level.
class PardController final : public Controller {
 public:
  PardController(const ServingContext& context, ModuleId module, const PardParams& params);

  void on_plan(TimeNs now, const Plan& plan) override;
  void on_report(TimeNs now, QueueId queue, std::span<const double> values, Publication& out) override;
  void on_period(TimeNs now, Publication& out) override;
  void on_state(TimeNs now, ModuleId module, std::span<const double> state, Publication& out) override;

 private:
  /// A queue's workers, as it last said.
  struct Heard {
    double workers = 0;
    int silent_periods = 0;
  };
  static constexpr int kForgetAfter = 1;  ///< a queue silent for longer is gone

  double serving_workers();
  PardState compute();

  ModuleId module_;
  PardOrder rule_;
  double period_s_;
  ModulePlan plan_;
  QueueingWindow queueing_;
  LoadBand band_;
  WaitWindow waits_;
  WorstWindow worst_;
  DownstreamEstimate downstream_;
  OverloadControl overload_;
  BudgetOrder order_;
  std::map<QueueId, Heard> queues_;
  // Sums over the reports of this period.
  double arrived_ = 0;
  double dropped_ = 0;
  double started_ = 0;
  double queueing_sum_ns_ = 0;
  double worst_ns_ = 0;
  std::vector<double> packed_;  ///< as last published; empty before
};

}  // namespace harness

// PARD's State Planner (sections 4.1 and 4.2): one per module.
#pragma once

#include <cstdint>
#include <deque>
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

/// Gathers its queues' reports (PardReport) and publishes the module's state (PardState) at the end of each
/// period. Its last state, with what has changed, it publishes again as soon as
/// - (exchange = fresh) the states of that period of all modules that L_sub needs have arrived: L_sub is then
///   computed, once per period, however late they are. Until then it is that of the period before;
/// - a later module's overload changes what this one may admit.
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
  /// All of the state but what depends on other modules.
  PardState own_state();
  /// Computes L_sub when the states of another period are complete; true when it has.
  bool estimate_if_complete();
  void publish(Publication& out);

  ModuleId module_;
  PardOrder rule_;
  bool fresh_;
  double period_s_;
  ModulePlan plan_;
  QueueingWindow queueing_;
  LoadBand band_;
  WaitWindow waits_;
  WorstWindow worst_;
  DownstreamEstimate downstream_;
  DownstreamEstimate::Value latest_;  ///< as last computed
  OverloadControl overload_;
  BudgetOrder order_;
  std::map<QueueId, Heard> queues_;
  // Sums over the reports of this period.
  double arrived_ = 0;
  double dropped_ = 0;
  double started_ = 0;
  double queueing_sum_ns_ = 0;
  double worst_ns_ = 0;
  std::int64_t period_ = 0;          ///< that has ended last
  std::int64_t estimated_ = 0;       ///< from whose states L_sub was last computed
  std::vector<std::int64_t> heard_;  ///< by module: of which period its last state told
  std::deque<PardState> own_;        ///< the own states from period estimated_ + 1 on
  PardState state_;                  ///< as last published
  std::vector<double> packed_;
};

}  // namespace harness

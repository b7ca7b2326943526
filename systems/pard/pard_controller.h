// PARD's State Planner (sections 4.1 and 4.2): one per module.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "harness/serving/controller.h"
#include "harness/serving/serving_context.h"
#include "systems/pard/downstream_estimate.h"
#include "systems/pard/load_band.h"
#include "systems/pard/overload_control.h"
#include "systems/pard/pard_params.h"
#include "systems/pard/pard_state.h"
#include "systems/pard/queueing_window.h"
#include "systems/pard/wait_window.h"
#include "systems/pard/worst_window.h"

namespace harness {

/// Gathers its queues' reports (PardReport) and publishes the module's state (PardState) at the end of each
/// period. Publishes its last state again, with the changes, as soon as
/// - (exchange = fresh) the states of that period have arrived from all modules that L_sub needs: L_sub is
///   then computed, once per period, however late they are. Until then the L_sub of the period before is
///   published;
/// - a later module's overload changes the share that this one may admit.
class PardController final : public Controller {
 public:
  PardController(const ServingContext& context, ModuleId module, const PardParams& params);

  void on_plan(TimeNs now, const Plan& plan) override;
  void on_report(TimeNs now, QueueId queue, std::span<const double> values, Publication& out) override;
  void on_period(TimeNs now, Publication& out) override;
  void on_state(TimeNs now, ModuleId module, std::span<const double> state, Publication& out) override;

 private:
  /// The number of a queue's workers by its last report.
  struct Heard {
    double workers = 0;
    int silent_periods = 0;
  };
  static constexpr int kForgetAfter = 1;  ///< number of periods after which a silent queue is forgotten

  double serving_workers();
  /// Returns the state without the fields that depend on other modules.
  PardState own_state();
  /// Computes L_sub if the states of another period are complete. Returns true if it did.
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
  DownstreamEstimate::Value latest_;  ///< L_sub computed last
  OverloadControl overload_;
  BudgetOrder order_;
  std::map<QueueId, Heard> queues_;
  // Sums over the reports of this period.
  double arrived_ = 0;
  double dropped_ = 0;
  double started_ = 0;
  double queueing_sum_ns_ = 0;
  double worst_ns_ = 0;
  std::int64_t period_ = 0;          ///< number of the last period that has ended
  std::int64_t estimated_ = 0;       ///< number of the period from whose states L_sub was last computed
  std::vector<std::int64_t> heard_;  ///< number of the period of each module's last state
  std::deque<PardState> own_;        ///< module's own states from period estimated_ + 1 on
  PardState state_;                  ///< state published last
  std::vector<double> packed_;
};

}  // namespace harness

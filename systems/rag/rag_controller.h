// The controller of a module of `rag`: the module's recent averages, and the estimate for the modules after
// it.
#pragma once

#include <span>
#include <vector>

#include "harness/core/types.h"
#include "harness/serving/controller.h"
#include "harness/serving/plan.h"
#include "harness/serving/serving_context.h"
#include "systems/rag/rag_measured.h"
#include "systems/rag/rag_params.h"
#include "systems/rag/rag_state.h"
#include "systems/rag/recent_mean.h"

namespace harness {

/// Publishes a RagState once per period, from its queues' reports (RagReport) and the other modules' states.
class RagController final : public Controller {
 public:
  RagController(const ServingContext& context, ModuleId module, const RagParams& params);

  void on_plan(TimeNs now, const Plan& plan) override;
  void on_report(TimeNs now, QueueId queue, std::span<const double> values, Publication& out) override;
  void on_period(TimeNs now, Publication& out) override;
  void on_state(TimeNs now, ModuleId module, std::span<const double> state, Publication& out) override;

 private:
  const ServingContext& context_;
  ModuleId module_;
  double lambda_;
  Plan plan_;
  RagReport period_;  ///< sums over the reports of this period
  RecentMean queueing_;
  RecentMean exec_;
  RecentMean slowdown_;
  std::vector<RagMeasured> measured_;  ///< last known state of each module
};

}  // namespace harness

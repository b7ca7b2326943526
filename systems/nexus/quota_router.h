// The way in which a session's visits are spread over the nodes of Nexus's packing.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "harness/core/types.h"
#include "harness/serving/plan.h"
#include "harness/serving/router.h"
#include "harness/serving/visit.h"

namespace harness {

/// Returns the visits/s for which each group of the plan is packed at this module: batch / duty cycle, or 0
/// if it does not serve the module.
std::vector<double> planned_rps(const Plan& plan, ModuleId module);

/// Weighted round robin: after n visits each queue has had its share of the n within one visit. Among the
/// queues that are not ahead of their share, the next visit goes to the one whose share of the visits so far
/// next reaches a whole visit (the first of several): earliest deadline first, which keeps every share within
/// one (proportionate fairness: Baruah et al., 1996). Counting starts again whenever the queues or the
/// weights change. If no queue has a weight, all have the same. A visit costs O(log n) with n queues, a call
/// O(n).
class QuotaRouter final : public Router {
 public:
  /// Uses `weights`, one for each group, until on_plan() sets planned_rps() of the module.
  explicit QuotaRouter(ModuleId module, std::vector<double> weights = {})
      : module_(module), weights_(std::move(weights)) {}

  void on_plan(const Plan& plan) override;
  void route(TimeNs now, std::span<const Visit> visits, std::span<const QueueView> queues,
             std::span<std::uint32_t> out) override;

 private:
  struct Quota {
    QueueId queue = 0;
    double share = 0;  ///< share of all visits
    double sent = 0;
  };
  /// A number of visits to all queues together, and a queue's index. Of equal numbers the first queue comes
  /// first.
  using Turn = std::pair<double, std::uint32_t>;
  using Turns = std::priority_queue<Turn, std::vector<Turn>, std::greater<>>;

  void start_anew(std::span<const QueueView> queues);
  std::uint32_t next();

  ModuleId module_;
  std::vector<double> weights_;
  std::vector<Quota> quotas_;  ///< one for each queue, in their order
  Turns ahead_;   ///< queues ahead of their share, by the number of the visit with which they no longer are
  Turns behind_;  ///< other queues, by the number of the visit up to which their next one is due
  double sent_ = 0;
};

}  // namespace harness

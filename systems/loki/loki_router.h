// Loki's router (section 5): one for each task, each in the dispatcher's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "harness/core/types.h"
#include "harness/serving/plan.h"
#include "harness/serving/router.h"
#include "harness/serving/serving_context.h"
#include "harness/serving/visit.h"
#include "systems/loki/load_balancer.h"
#include "systems/loki/routing_params.h"
#include "systems/loki/shortest_of_some.h"
#include "systems/loki/table_draws.h"

namespace harness {

/// Loki's router (section 5): draws a worker from the table of the worker that a visit comes from. Per-task
/// dropping and opportunistic rerouting may overrule the draw. Visits that are routed again, and visits of
/// pipelines of plain modules, have no known sender: they are drawn from the table for all senders, and are
/// never rerouted or dropped for being behind.
class LokiRouter final : public Router {
 public:
  /// `budget_factor` is the factor of the plans' latency budgets. A rerouted visit takes one visit per
  /// `tables_period_s` off the leftover capacity.
  LokiRouter(const ServingContext& context, ModuleId task, const RoutingParams& params, double budget_factor,
             double tables_period_s, std::shared_ptr<LoadBalancer> balancer);

  void on_plan(const Plan& plan) override;
  void route(TimeNs now, std::span<const Visit> visits, std::span<const QueueView> queues,
             std::span<std::uint32_t> out) override;
  void route_onward(TimeNs now, const Upstream& from, std::span<const Visit> visits,
                    std::span<const QueueView> queues, std::span<std::uint32_t> out) override;
  bool needs_outstanding() const override { return takes_shortest_; }
  std::int64_t rerouted() const override { return rule_ == EarlyDropping::kReroute ? rerouted_ : -1; }

 private:
  ModuleId task_;
  bool takes_shortest_;  ///< true if this is the first task and RootRouting::kShortest holds
  std::int64_t rerouted_ = 0;
  std::size_t sub_ = 0;  ///< index of this task in the `subs` of the one before
  EarlyDropping rule_;
  RerouteLimit reroute_limit_;
  double budget_factor_;
  double cost_rps_;
  std::shared_ptr<LoadBalancer> balancer_;
  TableDraws draws_;
  ShortestOfSome shortest_;
};

}  // namespace harness

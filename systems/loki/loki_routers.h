// The routers of Loki and Proteus: one for each task, each in the dispatcher's thread.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "harness/core/random.h"
#include "harness/serving/router.h"
#include "systems/loki/load_balancer.h"
#include "systems/loki/routing_params.h"
#include "systems/loki/routing_tables.h"
#include "systems/loki/trees.h"

namespace harness {

/// Loki (section 5): draws a worker from the table of the worker that a visit comes from, which per-task
/// dropping and opportunistic rerouting may overrule. Visits that are routed again, and those of pipelines of
/// plain modules, come from anywhere: they are drawn from all senders' table, never rerouted nor dropped.
class LokiRouter final : public Router {
 public:
  /// `budget_factor`: that of the plans' latency budgets. `tables_period_s`: a rerouted visit takes one visit
  /// per this time off the leftover capacity.
  LokiRouter(const ServingContext& context, ModuleId task, const RoutingParams& params, double budget_factor,
             double tables_period_s, std::shared_ptr<LoadBalancer> balancer);

  void on_plan(const Plan& plan) override;
  void route(TimeNs now, std::span<const Visit> visits, std::span<const QueueView> queues,
             std::span<std::uint32_t> out) override;
  void route_onward(TimeNs now, const Upstream& from, std::span<const Visit> visits,
                    std::span<const QueueView> queues, std::span<std::uint32_t> out) override;

 private:
  ModuleId task_;
  std::size_t sub_ = 0;  ///< this task's entry in the `subs` of the one before
  EarlyDropping rule_;
  RerouteLimit reroute_limit_;
  double budget_factor_;
  double cost_rps_;
  std::shared_ptr<LoadBalancer> balancer_;
  TableDraws draws_;
};

/// Proteus: the shares of the allocation, the same for each worker of a variant.
class ShareOfVariantsRouter final : public Router {
 public:
  ShareOfVariantsRouter(const ServingContext& context, ModuleId task, Draw draw);

  /// With each plan come its Metadata (Plan::notes).
  void on_plan(const Plan& plan) override;
  void route(TimeNs now, std::span<const Visit> visits, std::span<const QueueView> queues,
             std::span<std::uint32_t> out) override;

 private:
  std::shared_ptr<const Metadata> metadata_;
  TableDraws draws_;
  std::vector<int> workers_;   ///< by module
  std::vector<double> up_to_;  ///< by queue: sum of the shares to here
};

}  // namespace harness

// Loki's Load Balancer (section 5) in the dispatcher. It makes the routing tables for the routers of all
// tasks from the workers that serve, the plan in force and the demand.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "harness/core/random.h"
#include "harness/serving/context.h"
#include "harness/serving/plan.h"
#include "harness/serving/router.h"
#include "systems/loki/resource_manager.h"
#include "systems/loki/routing_tables.h"

namespace harness {

/// The routing tables of a system, which all its routers share, in one thread. They are made again with each
/// plan (one is announced for each period of measuring, changed or not) and whenever a router shows other
/// queues of its task than before: workers join when they have started and leave as soon as they drain.
class LoadBalancer {
 public:
  /// `context` must outlive this.
  LoadBalancer(const ServingContext& context, const RoutingParams& params);

  /// Takes the plan in force, with its Metadata (Plan::notes).
  void on_plan(const Plan& plan);
  /// Takes the queues of the task (named by its first module) as they are now. Called before each use of the
  /// tables.
  void see(ModuleId task, std::span<const QueueView> queues);

  /// Returns the table into the task for any sender; at the root it is the frontend's table.
  std::span<const RoutingEntry> into(ModuleId task) const { return tables_.into(node_of_[task]); }
  /// Returns the table from the queue to the task at that index of its module's `subs`; into() if the tables
  /// do not know the queue, because a plan has taken it away.
  std::span<const RoutingEntry> from(QueueId queue, ModuleId task, std::size_t sub) const;
  std::span<Backup> backups(ModuleId task) { return tables_.backups(node_of_[task]); }
  /// Returns the index of the queue at that place of the tables in the list of queues that the router of its
  /// task showed last.
  std::uint32_t index_of(std::uint32_t place) const { return index_[place]; }
  /// Returns the ModulePlan::budget_ns of the module.
  TimeNs budget_ns(ModuleId module) const { return plan_.modules[module].budget_ns; }

 private:
  void build();

  const ServingContext& context_;
  MostAccurateFirst most_accurate_first_;
  std::shared_ptr<const Metadata> metadata_;
  Plan plan_;
  std::vector<std::size_t> node_of_;           ///< place of its task, by module
  std::vector<std::vector<QueueView>> views_;  ///< queues in order of id, by the task's first module
  std::vector<RoutedWorker> workers_;          ///< workers, one for each queue, in order of id
  std::vector<std::uint32_t> index_;           ///< index of the queue, by place in workers_
  RoutingTables tables_;
};

// The routers of Loki and Proteus: one for each task, each in the dispatcher's thread.

/// Chooses the queue with the fewest outstanding visits among some of the queues that a router is shown
/// (RootRouting).
class ShortestOfSome {
 public:
  void clear();
  /// Adds the queue at this index of the queues shown; among equals the first that was added is chosen.
  void add(std::uint32_t index, const QueueView& queue);
  /// Chooses an index for each visit; kNone if no queue was added.
  void choose(TimeNs now, std::span<const Visit> visits, std::span<std::uint32_t> out);

 private:
  std::vector<std::uint32_t> index_;
  std::vector<QueueView> queues_;
  std::unique_ptr<Router> least_outstanding_ = make_least_outstanding_router();
};

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

/// Proteus's router: draws a worker by the shares of the allocation, which are the same for each worker of a
/// variant.
class ShareOfVariantsRouter final : public Router {
 public:
  ShareOfVariantsRouter(const ServingContext& context, ModuleId task, const RoutingParams& params);

  /// Takes the plan in force, with its Metadata (Plan::notes).
  void on_plan(const Plan& plan) override;
  void route(TimeNs now, std::span<const Visit> visits, std::span<const QueueView> queues,
             std::span<std::uint32_t> out) override;
  bool needs_outstanding() const override { return takes_shortest_; }

 private:
  bool takes_shortest_;
  std::shared_ptr<const Metadata> metadata_;
  TableDraws draws_;
  ShortestOfSome shortest_;
  std::vector<int> workers_;   ///< number of workers, by module
  std::vector<double> up_to_;  ///< sum of the shares up to and including each queue
};

}  // namespace harness

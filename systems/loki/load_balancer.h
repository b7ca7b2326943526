// Loki's Load Balancer (section 5) in the dispatcher: makes the routing tables from the workers that serve,
// the plan in force and the demand, for the routers of all tasks.
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

/// One for all routers of a system, in one thread. Tables are made again with each plan (one is announced for
/// each period of measuring, changed or not) and whenever a router shows other queues of its task than
/// before: workers join when they have started and leave as soon as they drain.
class LoadBalancer {
 public:
  /// `context` outlives this.
  LoadBalancer(const ServingContext& context, const RoutingParams& params);

  /// With each plan come its Metadata (Plan::notes).
  void on_plan(const Plan& plan);
  /// The queues of the task (its first module) as they are now: before each use of the tables.
  void see(ModuleId task, std::span<const QueueView> queues);

  /// Into the task, wherever from: the frontend's table, where it is the root.
  std::span<const RoutingEntry> into(ModuleId task) const { return tables_.into(node_of_[task]); }
  /// From the queue to the task at that index of its module's `subs`; into() where the tables do not know
  /// the queue, which a plan has taken away.
  std::span<const RoutingEntry> from(QueueId queue, ModuleId task, std::size_t sub) const;
  std::span<Backup> backups(ModuleId task) { return tables_.backups(node_of_[task]); }
  /// The index, in the list that the router of its task showed last, of the queue at that place of the
  /// tables.
  std::uint32_t index_of(std::uint32_t place) const { return index_[place]; }
  /// Of ModulePlan::budget_ns.
  TimeNs budget_ns(ModuleId module) const { return plan_.modules[module].budget_ns; }

 private:
  void build();

  const ServingContext& context_;
  MostAccurateFirst most_accurate_first_;
  std::shared_ptr<const Metadata> metadata_;
  Plan plan_;
  std::vector<std::size_t> node_of_;           ///< by module: the place of its task
  std::vector<std::vector<QueueView>> views_;  ///< by task's first module, in order of id
  std::vector<RoutedWorker> workers_;          ///< a queue each, in order of id
  std::vector<std::uint32_t> index_;           ///< by place in workers_
  RoutingTables tables_;
};

// The routers of Loki and Proteus: one for each task, each in the dispatcher's thread.

/// The least outstanding visits first, among some of the queues that a router is shown (RootRouting).
class ShortestOfSome {
 public:
  void clear();
  /// The queue at this index of those shown; among equals the first that was added is taken.
  void add(std::uint32_t index, const QueueView& queue);
  /// An index per visit; kNone where none was added.
  void choose(TimeNs now, std::span<const Visit> visits, std::span<std::uint32_t> out);

 private:
  std::vector<std::uint32_t> index_;
  std::vector<QueueView> queues_;
  std::unique_ptr<Router> least_outstanding_ = make_least_outstanding_router();
};

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
  bool needs_outstanding() const override { return takes_shortest_; }
  std::int64_t rerouted() const override { return rule_ == EarlyDropping::kReroute ? rerouted_ : -1; }

 private:
  ModuleId task_;
  bool takes_shortest_;  ///< this is the first task, and RootRouting::kShortest holds
  std::int64_t rerouted_ = 0;
  std::size_t sub_ = 0;  ///< this task's entry in the `subs` of the one before
  EarlyDropping rule_;
  RerouteLimit reroute_limit_;
  double budget_factor_;
  double cost_rps_;
  std::shared_ptr<LoadBalancer> balancer_;
  TableDraws draws_;
  ShortestOfSome shortest_;
};

/// Proteus: the shares of the allocation, the same for each worker of a variant.
class ShareOfVariantsRouter final : public Router {
 public:
  ShareOfVariantsRouter(const ServingContext& context, ModuleId task, const RoutingParams& params);

  /// With each plan come its Metadata (Plan::notes).
  void on_plan(const Plan& plan) override;
  void route(TimeNs now, std::span<const Visit> visits, std::span<const QueueView> queues,
             std::span<std::uint32_t> out) override;
  bool needs_outstanding() const override { return takes_shortest_; }

 private:
  bool takes_shortest_;
  std::shared_ptr<const Metadata> metadata_;
  TableDraws draws_;
  ShortestOfSome shortest_;
  std::vector<int> workers_;   ///< by module
  std::vector<double> up_to_;  ///< by queue: sum of the shares to here
};

}  // namespace harness

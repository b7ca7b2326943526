// Loki's Load Balancer (section 5) in the dispatcher: makes the routing tables from the workers that serve,
// the plan in force and the demand, for the routers of all tasks.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "harness/serving/context.h"
#include "harness/serving/plan.h"
#include "harness/serving/router.h"
#include "systems/loki/routing_params.h"
#include "systems/loki/routing_tables.h"
#include "systems/loki/trees.h"

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

}  // namespace harness

// Loki's Load Balancer (section 5) in the dispatcher. It makes the routing tables for the routers of all
// tasks from the workers that serve, the plan in force and the demand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "harness/core/types.h"
#include "harness/serving/plan.h"
#include "harness/serving/router.h"
#include "harness/serving/serving_context.h"
#include "systems/loki/backup.h"
#include "systems/loki/metadata.h"
#include "systems/loki/most_accurate_first.h"
#include "systems/loki/routing_entry.h"
#include "systems/loki/routing_params.h"
#include "systems/loki/routing_tables.h"

namespace harness {

/// The routing tables of a system. All its routers share them, in one thread. They are made again with each
/// plan (the dispatcher announces one after each period of measuring, changed or not) and whenever a router
/// calls update_queues() with other queues of its task than before: workers join when they have started and
/// leave as soon as they drain.
class LoadBalancer {
 public:
  /// `context` must outlive this.
  LoadBalancer(const ServingContext& context, const RoutingParams& params);

  /// Takes the plan in force, with its Metadata (Plan::details).
  void on_plan(const Plan& plan);
  /// Takes the queues of the task (named by its first module) as they are now. Called before each use of the
  /// tables.
  void update_queues(ModuleId task, std::span<const QueueView> queues);

  /// Returns the table into the task for any sender; at the root it is the frontend's table.
  std::span<const RoutingEntry> table_into(ModuleId task) const { return tables_.into(task_index_of_[task]); }
  /// Returns the table from the queue to the task at index `sub` of its module's `subs`. If the tables do not
  /// know the queue, because a plan has taken it away, returns table_into(task), for which alone `task` is
  /// used.
  std::span<const RoutingEntry> table_from(QueueId queue, ModuleId task, std::size_t sub) const;
  std::span<Backup> backups(ModuleId task) { return tables_.backups(task_index_of_[task]); }
  /// Converts RoutingEntry::worker, a worker's place in the tables, to the index of its queue in the span
  /// that its task last passed to update_queues().
  std::uint32_t index_of(std::uint32_t place) const { return index_[place]; }
  /// Returns the ModulePlan::budget_ns of the module.
  TimeNs budget_ns(ModuleId module) const { return plan_.modules[module].budget_ns; }

 private:
  void build();

  const ServingContext& context_;
  MostAccurateFirst most_accurate_first_;
  std::shared_ptr<const Metadata> metadata_;
  Plan plan_;
  std::vector<std::size_t> task_index_of_;     ///< index of its task among all tasks, by module
  std::vector<std::vector<QueueView>> views_;  ///< queues in order of id: [first module of the task]
  std::vector<RoutedWorker> workers_;          ///< workers, one for each queue, in order of id
  std::vector<std::uint32_t> index_;           ///< index of the queue, by place in workers_
  RoutingTables tables_;
};

}  // namespace harness

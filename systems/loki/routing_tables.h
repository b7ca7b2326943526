// Loki's routing tables (section 5.1): the workers of the next task to which a visit may go, with their
// probabilities, and the workers that have capacity left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "systems/loki/backup.h"
#include "systems/loki/routing_entry.h"

namespace harness {

/// The tables of the frontend and of all workers. Plain values: may be copied and published.
class RoutingTables {
 public:
  /// Returns the table for requests as they enter, to the first task.
  std::span<const RoutingEntry> frontend() const { return into(0); }
  /// Returns the table for visits that worker `worker` has served, to the task at that index of its module's
  /// `subs`.
  std::span<const RoutingEntry> from(std::size_t worker, std::size_t sub) const {
    return table(first_table_[worker] + sub);
  }
  /// Returns the table to a task for the flows from all senders together. It is for visits that were served
  /// by a worker which the tables do not know. `task` is an index in Pipeline::tasks, or the module if there
  /// are no tasks.
  std::span<const RoutingEntry> into(std::size_t task) const { return table(task); }

  /// Returns the task's workers with capacity left, the most accurate first. Rerouting may use the capacity
  /// up.
  std::span<const Backup> backups(std::size_t task) const {
    return {backups_.data() + backed_[task], count(task)};
  }
  std::span<Backup> backups(std::size_t task) { return {backups_.data() + backed_[task], count(task)}; }

  /// Returns the visits/s that the tables send to the worker.
  double incoming_rps(std::size_t worker) const { return incoming_[worker]; }

 private:
  friend class MostAccurateFirst;
  struct Extent {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };

  std::span<const RoutingEntry> table(std::size_t index) const {
    return {routes_.data() + tables_[index].begin, tables_[index].end - tables_[index].begin};
  }
  std::size_t count(std::size_t task) const { return backed_[task + 1] - backed_[task]; }

  std::vector<RoutingEntry> routes_;
  std::vector<Extent> tables_;            ///< extents of the tables: into the tasks, then from the workers
  std::vector<std::size_t> first_table_;  ///< index of its first table, by worker
  std::vector<Backup> backups_;           ///< backup tables of all tasks, one after the other
  std::vector<std::size_t> backed_;       ///< index of its first backup, by task; one more at the end
  std::vector<double> incoming_;          ///< visits/s sent to each worker
};

}  // namespace harness

// The statistics of each module's queues and workers for planners (LoadStatistics::modules), for systems that
// ask.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/engine/accounting/accounting.h"
#include "harness/engine/worker_state.h"
#include "harness/serving/module_statistics.h"
#include "harness/serving/plan.h"

namespace harness {

/// Counts between two plans. It is the same in virtual time and in live runs, in which rank 0 has it: it goes
/// by what the dispatcher sends and hears of. Single-threaded.
class ModuleMeter {
 public:
  /// Has the gaps counted from now on. All arguments outlive this object.
  ModuleMeter(std::size_t modules, const WorkerTable& workers, Accounting& accounting);

  /// Counts the time of what ran on a worker and ended or stopped at `ended_ns`.
  void on_stopped(const WorkerState& state, TimeNs ended_ns) {
    counts_[state.module].busy_ns += ended_ns - state.started_ns;
  }
  /// Counts the waits of a batch that ran to its end.
  void on_batch_done(const WorkerState& state) {
    Counts& counts = counts_[state.module];
    counts.waited += state.running.size();
    for (const BatchVisit& visit : state.running) counts.wait_ns += state.started_ns - visit.arrived_ns;
  }
  /// Returns the statistics of the time since the last call, or since the start. `arrived` counts the visits
  /// that have arrived at each module since the start; `plan` is in force.
  std::vector<ModuleStatistics> take(TimeNs now, std::span<const std::uint64_t> arrived, const Plan& plan);

 private:
  struct Counts {
    TimeNs busy_ns = 0;
    TimeNs able_ns = 0;  ///< time in which its workers could serve
    TimeNs wait_ns = 0;
    std::uint64_t waited = 0;  ///< number of visits whose waits are in wait_ns
    GapTotals gaps;            ///< gaps of the run, up to the last call
  };
  /// Adds the time in which workers could serve to Counts::able_ns.
  void add_worker_time(TimeNs now, const Plan& plan);

  const WorkerTable& workers_;
  const Accounting& accounting_;
  std::vector<Counts> counts_;     ///< counts of each module
  std::vector<WorkerId> present_;  ///< workers that had not left at the last call
  WorkerId seen_ = 0;              ///< number of workers known then
  TimeNs at_ns_ = 0;               ///< time of the last call
};

}  // namespace harness

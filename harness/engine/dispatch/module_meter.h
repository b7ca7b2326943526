// What planners are told of each module's queues and workers (LoadStatistics::modules), for systems that ask.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/engine/accounting/accounting.h"
#include "harness/engine/ports.h"
#include "harness/serving/plan.h"

namespace harness {

/// Counts between two plans. The same in virtual time and in live runs, where it is rank 0's: it goes by what
/// the dispatcher sends and hears of. Single-threaded.
class ModuleMeter {
 public:
  /// Everything outlives this. Has the gaps counted from now on.
  ModuleMeter(std::size_t modules, const WorkerTable& workers, Accounting& accounting);

  /// What ran on a worker ended or stopped at `ended_ns`.
  void on_stopped(const WorkerState& state, TimeNs ended_ns) {
    counts_[state.module].busy_ns += ended_ns - state.started_ns;
  }
  /// The batch ran to its end.
  void on_batch_done(const WorkerState& state) {
    Counts& counts = counts_[state.module];
    counts.waited += state.running.size();
    for (const BatchVisit& visit : state.running) counts.wait_ns += state.started_ns - visit.arrived_ns;
  }
  /// Of the time since the last call, or the start. `arrived` counts the visits that have arrived at each
  /// module since the start; `plan` is in force.
  std::vector<ModuleStatistics> take(TimeNs now, std::span<const std::uint64_t> arrived, const Plan& plan);

 private:
  struct Counts {
    TimeNs busy_ns = 0;
    TimeNs able_ns = 0;  ///< in which its workers could serve
    TimeNs wait_ns = 0;
    std::uint64_t waited = 0;  ///< visits that wait_ns sums up
    GapTotals gaps;            ///< of the run, up to the last call
  };
  /// Into Counts::able_ns.
  void add_worker_time(TimeNs now, const Plan& plan);

  const WorkerTable& workers_;
  const Accounting& accounting_;
  std::vector<Counts> counts_;     ///< by module
  std::vector<WorkerId> present_;  ///< workers that had not left at the last call
  WorkerId seen_ = 0;              ///< workers known then
  TimeNs at_ns_ = 0;               ///< of the last call
};

}  // namespace harness

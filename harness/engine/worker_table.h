// The workers of a run, as their host sees them.
#pragma once

#include <vector>

#include "harness/record/run_record.h"
#include "harness/serving/plan.h"
#include "harness/serving/visit.h"

namespace harness {

/// One worker: at most one running batch, and one forming behind it.
struct WorkerState {
  enum class Life : std::uint8_t { kStarting, kServing, kDraining, kGone };

  GroupId group = 0;
  ModuleId module = 0;  ///< of the batch that runs or ran last; before that the first of its group
  ModuleId forming_module = 0;
  DomainId domain = kNone;
  std::uint32_t gpu = 0;   ///< its place in the cluster; a slot or a thread: one that its server may share
  std::uint32_t slot = 0;  ///< shared and delay: index among the workers that its module has had
  Life life = Life::kStarting;
  bool busy = false;
  bool launched = false;        ///< the forming batch is closed and waits for the running one
  bool preempting = false;      ///< the running batch was asked to stop
  std::uint32_t preempted = 0;  ///< live: how many of its batches were preempted, as far as is known here
  TimeNs started_ns = 0;
  TimeNs expected_end_ns = 0;
  TimeNs service_gpu_ns = kNever;  ///< GPU time of the visit that runs; kNever: a batch
  TimeNs ended_ns = kNever;        ///< end of what runs, if its queue domain has not heard of it yet
  std::vector<BatchVisit> forming;
  std::vector<BatchVisit> running;
  WorkerTotals totals;

  /// When what runs ended, if that is heard of, or it is lost, `now`.
  TimeNs end_ns(TimeNs now) const { return ended_ns < now ? ended_ns : now; }
  /// GPU time of what runs, when it ends `now`.
  TimeNs gpu_time_ns(TimeNs now) const {
    return service_gpu_ns == kNever ? now - started_ns : service_gpu_ns;
  }
};

using WorkerTable = std::vector<WorkerState>;

}  // namespace harness

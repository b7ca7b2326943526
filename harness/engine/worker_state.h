// The state of a worker, which the queue in front of it, the dispatcher and the runtime share.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/core/types.h"
#include "harness/record/run/worker_totals.h"
#include "harness/serving/plan.h"
#include "harness/serving/visit.h"

namespace harness {

/// The state of one worker, which has at most one running batch, and one forming behind it.
struct alignas(64) WorkerState {
  enum class Life : std::uint8_t { kStarting, kServing, kDraining, kGone };
  enum class Next : std::uint8_t { kOpen, kFull, kLaunched };

  // The first cache line holds what a join touches.
  QueueId queue = kNone;
  Life life = Life::kStarting;
  bool busy = false;
  /// State of the forming batch; unless open, the batch waits for the running one.
  Next next = Next::kOpen;
  bool preempting = false;  ///< true if the running batch was asked to stop
  ModuleId forming_module = 0;
  /// Module of the batch that runs or ran last; before any batch, the first module of its group.
  ModuleId module = 0;
  GroupId group = 0;
  std::vector<BatchVisit> forming;
  std::vector<BatchVisit> running;

  TimeNs started_ns = 0;
  TimeNs expected_end_ns = 0;
  TimeNs service_gpu_ns = kNever;  ///< GPU time of the visit that runs; kNever: a batch runs
  TimeNs ended_ns = kNever;        ///< end of what runs, if its queue has not heard of it yet
  /// Place of its GPU in the cluster; for a slot or a thread a place that its server may share.
  std::uint32_t gpu = 0;
  std::uint32_t slot = 0;  ///< shared and delay: index among all workers that its module has had
  /// Live: number of its batches that were preempted, as far as is known here.
  std::uint32_t preempted = 0;
  WorkerTotals totals;

  /// Returns the end of what ran: `ended_ns` if it ended before `now`; otherwise it is heard of, or lost, at
  /// `now`.
  TimeNs end_ns(TimeNs now) const { return ended_ns < now ? ended_ns : now; }
  /// Returns the GPU time of what runs, summed over all its GPUs, if it ends `now`.
  TimeNs gpu_time_ns(TimeNs now) const {
    return service_gpu_ns == kNever ? (now - started_ns) * totals.gpus : service_gpu_ns;
  }
};

using WorkerTable = std::vector<WorkerState>;

}  // namespace harness

// The calls of the queues to the workers beneath them, which are part of the runtime.
#pragma once

#include <cstdint>

#include "harness/core/token_count.h"
#include "harness/core/types.h"

namespace harness {

struct ServiceVisit;

/// The part of a runtime that runs the batches of the queues and wakes them.
class Workers {
 public:
  virtual ~Workers() = default;

  /// Runs a batch; the runtime calls RankQueues::on_batch_done(worker) when it ends. `handover_ns` is the
  /// time from its start until an emulated GPU turns to it.
  virtual void run_batch(WorkerId worker, TimeNs profile_ns, TimeNs handover_ns) = 0;
  /// Runs one visit on a worker whose service is shared or delay; on_batch_done(worker) follows as well.
  virtual void run_visit(const ServiceVisit& visit) = 0;
  /// Tells that the visit has joined the worker's forming batch, so that what it needs may be brought there.
  /// Called only after RankQueues::tell_joins().
  virtual void joined(WorkerId /*worker*/, VisitId /*visit*/) {}
  /// Tells that the worker's forming batch is full, or launched while another runs: it starts when that one
  /// has ended, as it is, so the GPU may be given it at once. Called only after RankQueues::tell_joins().
  virtual void closed(WorkerId /*worker*/) {}
  /// Makes the worker's running batch stop at its next exit point; RankQueues::on_batch_preempted(worker)
  /// follows then, unless the batch ends before.
  virtual void preempt(WorkerId worker) = 0;
  /// Calls RankQueues::on_timer(queue) at `at_ns`, unless a call for an earlier time came meanwhile.
  virtual void wake_at(QueueId queue, TimeNs at_ns) = 0;
};

/// A visit that starts on a slot of a shared server or on a thread.
struct ServiceVisit {
  WorkerId worker = 0;
  /// Index of the worker among the workers of its module; the slots of one server follow one another.
  std::uint32_t slot = 0;
  ModuleId module = 0;
  RequestId request = 0;
  TokenCount tokens;  ///< shared only
};

}  // namespace harness

// Triton's dynamic batcher: which of the waiting requests make a batch, and when it is sent.
#pragma once

#include <span>
#include <vector>

#include "harness/serving/batch_slot.h"
#include "harness/serving/decision.h"
#include "harness/serving/module_plan.h"
#include "harness/serving/visit.h"
#include "harness/serving/visit_ring.h"
#include "systems/triton/triton_params.h"

namespace harness {

/// A policy of BatchingScheduler, whose comment documents the calls. A worker is an instance of the model.
///
/// The batcher looks at the queue whenever an instance is free. It first applies the timeouts. The *pending
/// batch* is then what waits, in order of arrival and at most the maximum batch size. The batch that is sent:
///
/// 1. If the pending batch's oldest request has waited for the delay, all of it.
/// 2. Otherwise, the largest preferred size that is not larger than the pending batch.
/// 3. If no preferred size can be had: all of it without a delay. With a delay nothing is sent, and the
///    instance stays idle until a request comes or the delay or a timeout is over.
class DynamicBatcher {
 public:
  /// Throws ParamError if the preferred sizes cannot be read.
  explicit DynamicBatcher(const TritonParams& params);

  void on_plan(TimeNs, const ModulePlan&) {}
  void start(TimeNs, Decisions&) {}
  bool admit(TimeNs now, const Visit& visit, Decisions& out);
  void push(TimeNs now, const Visit& visit) { waiting_.push({visit.id, now}); }
  bool erase(VisitId visit) { return waiting_.erase(visit) || delayed_.erase(visit); }
  bool empty() const { return waiting_.empty() && delayed_.empty(); }
  bool waits() const { return true; }
  int batch_limit() const { return max_batch_; }
  TimeNs start_at(TimeNs now, int room, Decisions& out);
  int fill(TimeNs now, const BatchSlot& slot, Decisions& out);
  void on_started(TimeNs, const BatchView&) {}
  void on_done(TimeNs, const BatchView&) {}
  void on_state(TimeNs, ModuleId, std::span<const double>) {}
  void on_timer(TimeNs, Decisions&) {}

 private:
  struct Waiting {
    VisitId id = 0;
    TimeNs queued_ns = 0;
  };

  void apply_timeouts(TimeNs now, Decisions& out);
  int pending(int room) const;
  /// Returns the largest preferred size up to `pending`; 0: all are larger.
  int preferred(int pending, int room) const;
  bool delay_is_over(TimeNs now, int pending) const;
  /// Returns when the oldest request of the pending batch came.
  TimeNs oldest_ns(int pending) const;

  std::vector<int> preferred_;  ///< preferred sizes in ascending order
  int max_batch_;
  TimeNs delay_ns_;    ///< 0: batches do not wait
  TimeNs timeout_ns_;  ///< 0: requests do not time out
  std::size_t max_queue_;
  TimeoutAction action_;
  VisitRing<Waiting> waiting_;  ///< requests that have not timed out, in order of arrival
  VisitRing<Waiting> delayed_;  ///< requests that have timed out, behind the others; in order of arrival
};

}  // namespace harness

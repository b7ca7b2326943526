// The policy of `rag`'s queues: decides which visits are dropped when they could start.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "harness/serving/batch_slot.h"
#include "harness/serving/decision.h"
#include "harness/serving/visit.h"
#include "harness/serving/visit_ring.h"
#include "systems/rag/rag_measured.h"
#include "systems/rag/rag_params.h"
#include "systems/rag/rag_state.h"

namespace harness {

/// First in, first out. Reactive: a visit past its due time is dropped (kExpired). Proactive and predict: a
/// visit is dropped, too, if start + time here + later modules + later prefill is past its due time
/// (kEstimatedLate); at its due time it is served.
class RagPolicy {
 public:
  RagPolicy(const ServingContext& context, ModuleId module, const RagParams& params);

  void on_plan(TimeNs now, const Plan& plan);
  void start(TimeNs now, Decisions& out);
  void push(TimeNs, const Visit& visit) { queue_.push({visit.id, visit.request, visit.deadline_ns}); }
  void put_back(TimeNs, const Visit& visit) {
    queue_.push_front({visit.id, visit.request, visit.deadline_ns});
  }
  void on_lost(WorkerId worker);
  bool erase(VisitId visit) { return queue_.erase(visit); }
  bool empty() const { return queue_.empty(); }
  int fill(TimeNs now, const BatchSlot& slot, Decisions& out);
  void on_started(TimeNs now, const BatchView& batch);
  void on_done(TimeNs now, const BatchView& batch);
  void on_state(TimeNs now, ModuleId module, std::span<const double> state);
  void on_timer(TimeNs now, Decisions& out);

  /// Returns the estimated time from the start of the request's visit here to the request's end.
  double remaining_ns(RequestId request) const;

 private:
  struct Waiting {
    VisitId id = 0;
    RequestId request = 0;
    TimeNs deadline_ns = 0;
  };
  struct Joined {
    RequestId request = 0;
    WorkerId worker = 0;
  };
  double here_ns(RequestId request) const;
  double prefill_at_ns(RequestId request, ModuleId module) const;
  bool ends_at_first_token(ModuleId module) const;
  void measure(TimeNs exec_ns, RequestId request);

  const ServingContext* context_;
  ModuleId module_;
  RagParams params_;
  TimeNs period_ns_;
  std::vector<ModuleId> later_prefills_;  ///< later modules that end at their first token
  double batch_ns_ = 0;                   ///< execution time of the planned batch
  RagMeasured measured_;
  double downstream_ns_ = 0;
  bool heard_ = false;  ///< true once a state of the own module has arrived
  RagReport report_;
  VisitRing<Waiting> queue_;
  std::map<VisitId, Joined> joined_;  ///< visits that are not done yet and whose worker is not lost
};

}  // namespace harness

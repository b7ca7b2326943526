// Nexus's early drop: a window as long as the batch slides over the queue (Nexus, SOSP'19; PARD section 5.1).
#pragma once

#include <span>

#include "harness/serving/batch_slot.h"
#include "harness/serving/decision.h"
#include "harness/serving/plan.h"
#include "harness/serving/serving_context.h"
#include "harness/serving/visit.h"
#include "harness/serving/visit_ring.h"
#include "systems/nexus/nexus_params.h"

namespace harness {

/// Drops the visits before the first window that can end the current module in time. It never joins a visit
/// that it estimates to be late there.
class NexusPolicy {
 public:
  NexusPolicy(const ServingContext& context, ModuleId module, const NexusParams& params)
      : context_(context), module_(module), params_(params) {}

  void on_plan(TimeNs now, const Plan& plan);
  void push(TimeNs now, const Visit& visit);
  void put_back(TimeNs now, const Visit& visit);
  bool erase(VisitId visit) { return queue_.erase(visit); }
  bool empty() const { return queue_.empty(); }
  int fill(TimeNs now, const BatchSlot& slot, Decisions& out);
  void on_started(TimeNs, const BatchView&) {}
  void on_done(TimeNs, const BatchView&) {}
  void on_state(TimeNs, ModuleId, std::span<const double>) {}
  void start(TimeNs, Decisions&) {}
  void on_timer(TimeNs, Decisions&) {}

 private:
  struct Waiting {
    VisitId id = 0;
    TimeNs deadline_ns = 0;  ///< deadline of the current module
  };

  Waiting waiting(const Visit& visit) const;
  /// Returns the estimated execution time of the forming batch once `more` visits have joined it.
  TimeNs exec_ns(const BatchSlot& slot, std::size_t more) const;
  /// Returns the first position whose window ends in time, or the queue's size.
  std::size_t first_fitting(const BatchSlot& slot) const;
  std::size_t first_fitting_in_tail(const BatchSlot& slot) const;
  void drop_first(std::size_t count, Decisions& out);

  const ServingContext& context_;
  ModuleId module_;
  NexusParams params_;
  int max_batch_ = 1;
  TimeNs planned_exec_ns_ = 0;
  TimeNs split_to_here_ns_ = 0;
  TimeNs own_budget_ns_ = 0;
  VisitRing<Waiting> queue_;
};

}  // namespace harness

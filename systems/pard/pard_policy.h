// PARD's Request Broker (sections 4.2 and 4.3): the policy of its queues.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "harness/core/drop_reason.h"
#include "harness/core/types.h"
#include "harness/serving/batch_slot.h"
#include "harness/serving/decision.h"
#include "harness/serving/serving_context.h"
#include "harness/serving/visit_ring.h"
#include "systems/pard/admission_level.h"
#include "systems/pard/double_ended_queue.h"
#include "systems/pard/pard_params.h"
#include "systems/pard/pard_state.h"
#include "systems/pard/start_estimates.h"

namespace harness {

/// Estimates the end of a visit as t_e + d_k + L_sub (Eq. 3) before it joins the batch that starts at t_e. If
/// that is after its due time it is dropped (kEstimatedLate); at its due time it joins. d_k is for the
/// planned batch size, or (execution = at_hand) for the batch with the visit in it: then visits are fetched
/// one by one.
///
/// All visits of one fetch share t_e + d_k + L_sub, so the visits estimated late are the ones with the least
/// remaining budget. A fetch drops them first, whatever the order, and fills the batch from the rest, from
/// the low or the high end. Under high budget first they would otherwise stay in the queue until the load
/// falls. No visit lingers: a fetch leaves visits behind only when the batch is full, and the start of that
/// batch is the next fetch. Order fcfs fetches by arrival and drops only visits that it fetches.
///
/// The variants change the input of these rules: L_sub (DownstreamEstimate), the order, and the time that
/// takes the place of the due time, arrival + SLO if a module's budget counts from the arrival. With estimate
/// = none every visit is in time. Under overload a visit may be refused as it arrives (kOverload).
class PardPolicy {
 public:
  /// All queues of the run share `starts`.
  PardPolicy(const ServingContext& context, ModuleId module, const PardParams& params,
             std::shared_ptr<StartEstimates> starts);

  void on_plan(TimeNs now, const Plan& plan);
  void on_workers(int workers);
  void start(TimeNs now, Decisions& out);

  bool admit(TimeNs, const Visit& visit, Decisions& out) {
    if (admission_.admits(visit.request)) return true;
    report_.add_arrival();
    drop(visit.id, DropReason::kOverload, out);
    return false;
  }
  void push(TimeNs, const Visit& visit) {
    report_.add_arrival();
    if (by_arrival_) {
      arrivals_.push({visit.id, due_of(visit)});
    } else {
      budgets_.put(due_of(visit), visit.id);
    }
    if (counts_drops_) arrived_ns_[visit.id] = visit.arrived_ns;
  }
  /// Queues a visit again, without counting its arrival a second time.
  void put_back(TimeNs, const Visit& visit) {
    if (by_arrival_) {
      arrivals_.push_front({visit.id, due_of(visit)});
    } else {
      budgets_.put(due_of(visit), visit.id);
    }
    if (counts_drops_) arrived_ns_[visit.id] = visit.arrived_ns;
  }
  bool erase(VisitId visit) {
    if (counts_drops_) arrived_ns_.erase(visit);
    return by_arrival_ ? arrivals_.erase(visit) : budgets_.erase(visit);
  }
  bool empty() const { return by_arrival_ ? arrivals_.empty() : budgets_.empty(); }

  int fill(TimeNs now, const BatchSlot& slot, Decisions& out) {
    if (singly_) return fill_singly(now, slot, out);
    const TimeNs end_ns = slot.start_ns + after_start_ns_;
    return by_arrival_ ? fill_by_arrival(end_ns, slot, out) : fill_by_budget(end_ns, slot, out);
  }

  int fill_with(TimeNs now, const Visit& visit, const BatchSlot& slot, Decisions& out) {
    if (singly_) {
      push(now, visit);
      return fill_singly(now, slot, out);
    }
    report_.add_arrival();
    if (due_of(visit) < slot.start_ns + after_start_ns_) {
      drop(visit.id, kLate, out);
      return 0;
    }
    out.join(slot.worker, visit.id);
    return 1;
  }

  void on_started(TimeNs, const BatchView& batch) { report_.add_started(batch); }
  void on_done(TimeNs, const BatchView&) {}
  void on_state(TimeNs now, ModuleId module, std::span<const double> state);
  void on_timer(TimeNs now, Decisions& out);

 private:
  static constexpr DropReason kLate = DropReason::kEstimatedLate;

  struct Arrived {
    VisitId id = 0;
    TimeNs deadline_ns = 0;
  };

  TimeNs due_of(const Visit& visit) const {
    return from_arrival_ ? visit.arrived_ns + context_->slo_ns : visit.deadline_ns;
  }

  /// Fills the batch visit by visit, if each has its own d_k or drops count. Otherwise it would do the same
  /// as the two functions below.
  int fill_singly(TimeNs now, const BatchSlot& slot, Decisions& out);
  /// Removes and returns the next visit: by arrival, or from that end of the budgets.
  VisitId take(bool from_high_end);

  int fill_by_budget(TimeNs end_ns, const BatchSlot& slot, Decisions& out) {
    while (!budgets_.empty() && budgets_.min().key < end_ns) drop(budgets_.pop_min().id, kLate, out);
    int joined = 0;
    for (; joined < slot.room && !budgets_.empty(); ++joined) {
      const auto entry = order_ == BudgetOrder::kHigh ? budgets_.pop_max() : budgets_.pop_min();
      out.join(slot.worker, entry.id);
    }
    return joined;
  }

  int fill_by_arrival(TimeNs end_ns, const BatchSlot& slot, Decisions& out) {
    int joined = 0;
    while (joined < slot.room && !arrivals_.empty()) {
      const Arrived visit = arrivals_.front();
      arrivals_.pop_front();
      if (visit.deadline_ns < end_ns) {
        drop(visit.id, kLate, out);
      } else {
        out.join(slot.worker, visit.id);
        ++joined;
      }
    }
    return joined;
  }

  void drop(VisitId visit, DropReason reason, Decisions& out) {
    out.drop(visit, reason);
    report_.add_drop();
  }
  void set_downstream(double downstream_ns);
  void set_most_waits();

  // The members that an arrival touches come first.
  bool by_arrival_;
  bool from_arrival_;
  bool counts_drops_;
  bool singly_;
  BudgetOrder order_;
  AdmissionLevel admission_;
  PardReport report_;
  TimeNs after_exec_ns_ = 0;   ///< L_sub; if there is no estimate, less than any time
  TimeNs after_start_ns_ = 0;  ///< d_k + L_sub
  DoubleEndedQueue budgets_;
  VisitRing<Arrived> arrivals_;
  std::map<VisitId, TimeNs> arrived_ns_;  ///< arrival times of all queued visits, if drops count
  const ServingContext* context_;
  PardParams params_;
  std::shared_ptr<StartEstimates> starts_;
  ModuleId module_;
  int own_workers_ = 0;               ///< number of this queue's workers
  int planned_workers_ = 1;           ///< number of the module's planned workers
  bool heard_ = false;                ///< true once a state of the own module has arrived
  TimeNs exec_ns_ = 0;                ///< execution time at the planned batch size
  std::vector<TimeNs> exec_by_size_;  ///< d_k of batches of 1, 2, ...; for fill_singly()
  double downstream_ns_ = 0;
  TimeNs period_ns_;
};

}  // namespace harness

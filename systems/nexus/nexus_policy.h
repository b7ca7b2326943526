// Nexus's early drop: a window as long as the batch slides over the queue (Nexus, SOSP'19; PARD section 5.1).
#pragma once

#include <span>

#include "harness/core/params.h"
#include "harness/serving/batching_scheduler.h"
#include "harness/serving/context.h"
#include "harness/serving/visit_ring.h"

namespace harness {

/// How the queue is ordered.
enum class NexusOrder { kArrival, kDeadline };
/// When a visit must be through the current module.
enum class NexusBudget { kEndToEnd, kSplit };
/// Which batch size the execution time is estimated at.
enum class NexusEstimate { kPlanned, kActual };

struct NexusParams {
  NexusOrder order = NexusOrder::kArrival;
  NexusBudget budget = NexusBudget::kEndToEnd;
  NexusEstimate estimate = NexusEstimate::kPlanned;
  double split_step_ms = 1;

  void list(ParamList& params) {
    params.choice("order", order, {"arrival", "deadline"},
                  "order of the queue: arrival, as PARD describes Nexus; deadline, as the released code");
    params.choice(
        "budget", budget, {"end_to_end", "split"},
        "a visit must end the current module by: end_to_end, send time + SLO; split, send time + the sum of "
        "Nexus's latency split up to this module (slack of earlier modules is carried over)");
    params.choice(
        "estimate", estimate, {"planned", "actual"},
        "execution time of the forming batch: at the planned batch size (holds whatever joins later), or at "
        "the size that the batch has with the window");
    params.number("split_step_ms", split_step_ms, 0.1, 100,
                  "budget = split: the SLO is split in steps of this, or of SLO / 2000 if that is more");
  }
};

/// Drops what stands before the first window that can end the current module in time. It never joins a visit
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
    TimeNs due_ns = 0;  ///< of the current module
  };

  Waiting waiting(const Visit& visit) const;
  /// Estimated execution time of the forming batch once `more` visits have joined it.
  TimeNs exec_ns(const BatchSlot& slot, std::size_t more) const;
  /// The first position whose window ends in time, or the queue's size.
  std::size_t first_fitting(const BatchSlot& slot) const;
  std::size_t first_fitting_in_tail(const BatchSlot& slot) const;
  void drop_first(std::size_t count, Decisions& out);

  const ServingContext& context_;
  ModuleId module_;
  NexusParams params_;
  int batch_cap_ = 1;
  TimeNs planned_exec_ns_ = 0;
  TimeNs split_to_here_ns_ = 0;
  VisitRing<Waiting> queue_;
};

}  // namespace harness

// FLEX as the scheduler of a queue (SHEPHERD, section 5.2).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "harness/serving/context.h"
#include "harness/serving/scheduler.h"
#include "systems/shepherd/flex.h"

namespace harness {

/// Carries events to a Flex over the modules of the queue and its decisions to the host. What the planner
/// caps stays capped: a module's batches are no larger than its planned cap. A batch's end is told to Flex
/// when the worker is free: before that visits that the batch sends on may stand here already.
class FlexScheduler final : public Scheduler {
 public:
  /// The context outlives this.
  FlexScheduler(const ServingContext& context, GroupId group, const FlexParams& params)
      : context_(context), group_(group), params_(params) {}

  /// A group stays what it is: only the first plan counts.
  void on_plan(TimeNs now, const Plan& plan, Decisions& out) override;
  void on_worker_added(TimeNs now, WorkerId worker, Decisions& out) override;
  void on_worker_draining(TimeNs now, WorkerId worker, Decisions& out) override;
  void on_workers_lost(TimeNs now, std::span<const WorkerId> workers, std::span<const Visit> visits,
                       Decisions& out) override;
  void on_arrival(TimeNs now, const Visit& visit, Decisions& out) override;
  void on_cancelled(TimeNs now, VisitId visit, Decisions& out) override;
  void on_worker_free(TimeNs now, WorkerId worker, Decisions& out) override;
  void on_batch_started(TimeNs, const BatchView&, Decisions&) override {}
  void on_batch_done(TimeNs now, const BatchView& batch, Decisions& out) override;
  void on_batch_preempted(TimeNs now, const BatchView& batch, std::span<const Visit> visits,
                          Decisions& out) override;

 private:
  enum class Work : std::uint8_t { kIdle, kBatch, kLastBatch };

  void carry_out(Decisions& out);
  Work& work_of(WorkerId worker);

  const ServingContext& context_;
  GroupId group_;
  FlexParams params_;
  std::optional<Flex> flex_;
  FlexDecisions decided_;
  WorkerId added_ = kNone;  ///< just now: the host says next that it is free, which Flex knows
  std::vector<Work> work_;  ///< by worker: what it has; kLastBatch: and drains
};

}  // namespace harness

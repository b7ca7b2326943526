// FLEX as the scheduler of a queue (SHEPHERD, section 5.2).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "harness/serving/decision.h"
#include "harness/serving/scheduler.h"
#include "harness/serving/serving_context.h"
#include "systems/shepherd/flex.h"
#include "systems/shepherd/flex_decision.h"
#include "systems/shepherd/flex_params.h"

namespace harness {

/// Carries events to a Flex over the modules of the queue and its decisions to the host. A module's batches
/// are no larger than the cap that the planner gives it. Flex is told of a batch's end when the worker is
/// free: before that, visits that the batch sends on may be queued here already.
class FlexScheduler final : public Scheduler {
 public:
  /// The context outlives the scheduler.
  FlexScheduler(const ServingContext& context, GroupId group, const FlexParams& params)
      : context_(context), group_(group), params_(params) {}

  /// Only the first plan counts: a group's modules never change.
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
  /// Worker that was just added. The host says next that it is free, which Flex knows already.
  WorkerId added_ = kNone;
  std::vector<Work> work_;  ///< state of each worker, by id; kLastBatch: it runs a batch and drains
};

}  // namespace harness

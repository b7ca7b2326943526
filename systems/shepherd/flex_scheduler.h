// FLEX as the scheduler of a queue domain (SHEPHERD, section 5.2).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "harness/serving/context.h"
#include "harness/serving/scheduler.h"
#include "systems/shepherd/flex.h"

namespace harness {

/// Carries events to a Flex over the modules of the domain and its decisions to the host. What the planner
/// caps stays capped: a module's batches are no larger than its planned cap.
class FlexScheduler final : public Scheduler {
 public:
  /// The context outlives this.
  FlexScheduler(const ServingContext& context, std::span<const ModuleId> modules, const FlexParams& params)
      : context_(context), modules_(modules.begin(), modules.end()), params_(params) {}

  /// Groups and caps last as long as the run: only the first plan counts.
  void on_plan(TimeNs now, const Plan& plan, Decisions& out) override;
  void on_worker_added(TimeNs now, WorkerId worker, Decisions& out) override;
  void on_worker_draining(TimeNs now, WorkerId worker, Decisions& out) override;
  void on_workers_lost(TimeNs now, std::span<const WorkerId> workers, std::span<const Visit> visits,
                       Decisions& out) override;
  void on_arrival(TimeNs now, const Visit& visit, Decisions& out) override;
  void on_cancelled(TimeNs now, VisitId visit, Decisions& out) override;
  void on_worker_free(TimeNs, WorkerId, Decisions&) override {}
  void on_batch_started(TimeNs, const BatchView&, Decisions&) override {}
  void on_batch_done(TimeNs now, const BatchView& batch, Decisions& out) override;
  void on_batch_preempted(TimeNs now, const BatchView& batch, std::span<const Visit> visits,
                          Decisions& out) override;

 private:
  void carry_out(Decisions& out);

  const ServingContext& context_;
  std::vector<ModuleId> modules_;
  FlexParams params_;
  std::optional<Flex> flex_;
  FlexDecisions decided_;
};

}  // namespace harness

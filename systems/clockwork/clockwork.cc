#include "systems/clockwork/clockwork.h"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "harness/serving/common_plans.h"
#include "harness/serving/decision.h"
#include "harness/serving/scheduler.h"
#include "harness/serving/serving_context.h"
#include "harness/serving/serving_params.h"
#include "systems/clockwork/central_scheduler.h"

namespace harness {
namespace {

/// Carries events to a CentralScheduler over the modules of the queue. A batch is launched when it is formed,
/// also behind the running one: the schedule-ahead is one batch at most. With commit = late batches are
/// formed for free workers only.
class ClockworkScheduler final : public Scheduler {
 public:
  /// The context outlives the scheduler.
  ClockworkScheduler(const ServingContext& context, GroupId group, const ClockworkParams& params)
      : context_(context), group_(group), params_(params) {}

  /// Groups and caps last as long as the run: only the first plan counts.
  void on_plan(TimeNs, const Plan& plan, Decisions&) override {
    if (central_) return;
    std::vector<ClockworkModel> models;
    for (const ModuleId module : plan.served_by(group_)) {
      const int cap = std::min(plan.modules[module].max_batch, params_.max_batch);
      models.push_back({module, context_.profiles[module], cap});
    }
    central_.emplace(params_, models, context_.serving.commit == Commit::kEarly);
  }
  void on_worker_added(TimeNs, WorkerId worker, Decisions&) override { central_->on_worker_added(worker); }
  void on_worker_draining(TimeNs, WorkerId worker, Decisions&) override {
    central_->on_worker_draining(worker);
  }
  void on_workers_lost(TimeNs now, std::span<const WorkerId> workers, std::span<const Visit> visits,
                       Decisions& out) override {
    central_->on_workers_lost(now, workers, visits, out);
  }
  void on_arrival(TimeNs now, const Visit& visit, Decisions& out) override {
    central_->on_arrival(now, visit, out);
  }
  void on_cancelled(TimeNs, VisitId visit, Decisions&) override { central_->on_cancelled(visit); }
  void on_worker_free(TimeNs now, WorkerId worker, Decisions& out) override {
    central_->on_worker_free(now, worker, out);
  }
  void on_batch_started(TimeNs now, const BatchView& batch, Decisions& out) override {
    central_->on_batch_started(now, batch, out);
  }
  void on_batch_done(TimeNs, const BatchView& batch, Decisions&) override { central_->on_batch_done(batch); }
  void on_timer(TimeNs now, Decisions& out) override { central_->on_timer(now, out); }

 private:
  const ServingContext& context_;
  GroupId group_;
  ClockworkParams params_;
  std::optional<CentralScheduler> central_;
};

class OneGroup final : public Planner {
 public:
  OneGroup(const ServingContext& context, int max_batch) : plan_(one_group_plan(context, max_batch)) {}

  Plan plan(TimeNs, const LoadStatistics&, const Plan&) override { return plan_; }

 private:
  Plan plan_;
};

class Clockwork final : public System {
 public:
  void list(ParamList& params) override { params_.list(params); }

  SystemTraits traits() const override { return {.serves_streams = true, .serves_placements = true}; }

  std::unique_ptr<Scheduler> make_scheduler(const ServingContext& context, QueueId, GroupId group) override {
    return std::make_unique<ClockworkScheduler>(context, group, params_);
  }
  /// Returns null if a module is no model on GPUs: the shared planner gives each module its own workers then.
  std::unique_ptr<Planner> make_planner(const ServingContext& context) const override {
    if (!has_only_batches(context)) return nullptr;
    return std::make_unique<OneGroup>(context, params_.max_batch);
  }

 private:
  ClockworkParams params_;
};

}  // namespace

std::unique_ptr<System> make_clockwork() { return std::make_unique<Clockwork>(); }

}  // namespace harness

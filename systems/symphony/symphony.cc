#include "systems/symphony/symphony.h"

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "harness/core/pipeline.h"
#include "harness/serving/common_plans.h"
#include "harness/serving/decision.h"
#include "harness/serving/scheduler.h"
#include "harness/serving/serving_context.h"
#include "systems/symphony/deferred_scheduler.h"

namespace harness {
namespace {

/// Carries events to a DeferredScheduler over the modules of the queue. In a pipeline a visit must leave
/// later modules their shares of the SLO.
class SymphonyScheduler final : public Scheduler {
 public:
  /// The context outlives the scheduler.
  SymphonyScheduler(const ServingContext& context, GroupId group, const SymphonyParams& params)
      : context_(context), group_(group), params_(params) {}

  /// Groups and caps last as long as the run: only the first plan counts.
  void on_plan(TimeNs, const Plan& plan, Decisions&) override {
    if (deferred_) return;
    std::vector<TimeNs> latency_ns;
    for (const ModulePlan& module : plan.modules) latency_ns.push_back(module.exec_ns);
    const std::vector<TimeNs> budgets = proportional_budgets(context_, latency_ns);
    after_ns_ = longest_after(*context_.pipeline, {budgets.begin(), budgets.end()});
    std::vector<SymphonyModel> models;
    for (const ModuleId module : plan.served_by(group_)) {
      models.push_back({module, context_.profiles[module], plan.modules[module].max_batch, budgets[module]});
    }
    deferred_.emplace(params_, models);
  }
  void on_worker_added(TimeNs, WorkerId, Decisions&) override {}
  void on_worker_draining(TimeNs, WorkerId worker, Decisions&) override {
    deferred_->on_worker_draining(worker);
  }
  void on_workers_lost(TimeNs now, std::span<const WorkerId> workers, std::span<const Visit> visits,
                       Decisions& out) override {
    std::vector<Visit> back;
    for (const Visit& visit : visits) back.push_back(with_own_deadline(visit));
    deferred_->on_workers_lost(now, workers, back, out);
  }
  void on_arrival(TimeNs now, const Visit& visit, Decisions& out) override {
    deferred_->on_arrival(now, with_own_deadline(visit), out);
  }
  void on_cancelled(TimeNs now, VisitId visit, Decisions& out) override {
    deferred_->on_cancelled(now, visit, out);
  }
  void on_worker_free(TimeNs now, WorkerId worker, Decisions& out) override {
    deferred_->on_worker_free(now, worker, out);
  }
  void on_batch_started(TimeNs, const BatchView&, Decisions&) override {}
  void on_timer(TimeNs now, Decisions& out) override { deferred_->on_timer(now, out); }

 private:
  Visit with_own_deadline(Visit visit) const {
    visit.deadline_ns -= static_cast<TimeNs>(after_ns_[visit.module]);
    return visit;
  }

  const ServingContext& context_;
  GroupId group_;
  SymphonyParams params_;
  std::vector<double> after_ns_;  ///< sum of the budgets after each module, on the longest path
  std::optional<DeferredScheduler> deferred_;
};

/// All workers serve all models, in batches as large as their profiles go.
class SharedGroup final : public Planner {
 public:
  explicit SharedGroup(const ServingContext& context)
      : plan_(one_group_plan(context, std::numeric_limits<int>::max())) {}

  Plan plan(TimeNs, const LoadStatistics&, const Plan&) override { return plan_; }

 private:
  Plan plan_;
};

class Symphony final : public System {
 public:
  void list(ParamList& params) override { params_.list(params); }

  SystemTraits traits() const override { return {.serves_streams = true}; }

  std::unique_ptr<Scheduler> make_scheduler(const ServingContext& context, QueueId, GroupId group) override {
    return std::make_unique<SymphonyScheduler>(context, group, params_);
  }
  /// Returns null if a module is no model on GPUs: the shared planner gives each module its own workers then.
  std::unique_ptr<Planner> make_planner(const ServingContext& context) const override {
    if (!has_only_batches(context)) return nullptr;
    return std::make_unique<SharedGroup>(context);
  }

 private:
  SymphonyParams params_;
};

}  // namespace

std::unique_ptr<System> make_symphony() { return std::make_unique<Symphony>(); }

}  // namespace harness

#include "systems/shepherd/shepherd.h"

#include <vector>

#include "harness/serving/common_plans.h"
#include "systems/shepherd/flex_scheduler.h"
#include "systems/shepherd/herd_input.h"
#include "systems/shepherd/serving_groups.h"
#include "systems/shepherd/share_router.h"

namespace harness {
namespace {

/// Plans with HERD before the start and, if there is a period, again from the rates measured in the last one.
class GroupPlanner final : public Planner {
 public:
  GroupPlanner(const ServingContext& context, const HerdPlannerParams& params, int max_batch)
      : context_(context), params_(params), max_batch_(max_batch) {}

  Plan plan(TimeNs, const LoadStatistics& load, const Plan& current) override {
    if (!is_for_herd(context_)) return one_group_plan(context_, max_batch_);
    if (current.modules.empty())
      return plan_of(context_, serving_groups(context_, params_, max_batch_), max_batch_);
    const HerdPlan groups = serving_groups_for(context_, params_, max_batch_, load.module_rps);
    if (groups.groups.empty()) return current;
    return continued_plan(current, plan_of(context_, groups, max_batch_));
  }

 private:
  const ServingContext& context_;
  HerdPlannerParams params_;
  int max_batch_;
};

class Shepherd final : public System {
 public:
  void list(ParamList& params) override {
    flex_.list(params);
    herd_.list(params);
  }
  SystemTraits traits() const override {
    return {.serves_streams = true,
            .models_are_preloaded = herd_.model_loading == HerdModelLoading::kPreloaded,
            .preempts = flex_.preempt};
  }
  TimeNs replan_period_ns(const ServingContext& context) const override {
    return has_only_batches(context) && is_for_herd(context) ? s_to_ns(herd_.period_s) : 0;
  }

  std::unique_ptr<Scheduler> make_scheduler(const ServingContext& context, QueueId, GroupId group) override {
    return std::make_unique<FlexScheduler>(context, group, flex_);
  }
  /// Returns null if a module is no model on GPUs: the shared planner gives each module its own workers then.
  std::unique_ptr<Planner> make_planner(const ServingContext& context) const override {
    if (!has_only_batches(context)) return nullptr;
    return std::make_unique<GroupPlanner>(context, herd_, flex_.max_batch);
  }
  std::unique_ptr<Router> make_router(const ServingContext& context, ModuleId module) override {
    if (!has_only_batches(context) || !is_for_herd(context)) return System::make_router(context, module);
    if (streams_.empty()) streams_ = counted_streams(context, herd_, flex_.max_batch);
    return std::make_unique<ShareRouter>(streams_, module, herd_.split);
  }

 private:
  FlexParams flex_;
  HerdPlannerParams herd_;
  std::vector<Stream> streams_;  ///< for the routers
};

}  // namespace

std::unique_ptr<System> make_shepherd() { return std::make_unique<Shepherd>(); }

}  // namespace harness

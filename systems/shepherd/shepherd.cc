#include "systems/shepherd/shepherd.h"

#include <optional>

#include "harness/serving/common_plans.h"
#include "systems/shepherd/flex_scheduler.h"
#include "systems/shepherd/serving_groups.h"
#include "systems/shepherd/share_router.h"

namespace harness {
namespace {

/// HERD once, before the start: groups last as long as the run.
class GroupPlanner final : public Planner {
 public:
  GroupPlanner(const ServingContext& context, const HerdPlannerParams& params, int max_batch)
      : context_(context), params_(params), max_batch_(max_batch) {}

  Plan plan(TimeNs, const LoadStatistics&, const Plan&) override {
    if (!plan_) {
      plan_ = is_for_herd(context_)
                  ? plan_of(context_, serving_groups(context_, params_, max_batch_), max_batch_)
                  : one_group_plan(context_, max_batch_);
    }
    return *plan_;
  }

 private:
  const ServingContext& context_;
  HerdPlannerParams params_;
  int max_batch_;
  std::optional<Plan> plan_;
};

class Shepherd final : public System {
 public:
  void list(ParamList& params) override {
    flex_.list(params);
    herd_.list(params);
  }
  bool preempts() const override { return flex_.preempt; }
  bool serves_streams() const override { return true; }

  std::unique_ptr<Scheduler> make_scheduler(const ServingContext& context, DomainId, GroupId group) override {
    return std::make_unique<FlexScheduler>(context, group, flex_);
  }
  /// Null where a module is no model on GPUs: the shared planner gives each module its own workers then.
  std::unique_ptr<Planner> make_planner(const ServingContext& context) const override {
    if (!has_only_batches(context)) return nullptr;
    return std::make_unique<GroupPlanner>(context, herd_, flex_.max_batch);
  }
  std::unique_ptr<Router> make_router(const ServingContext& context, ModuleId module) override {
    if (!has_only_batches(context) || !is_for_herd(context)) return System::make_router(context, module);
    if (!groups_) {
      groups_ = serving_groups(context, herd_, flex_.max_batch);
      streams_ = counted_streams(context, herd_, flex_.max_batch);
    }
    if (groups_->groups.size() == 1) return System::make_router(context, module);
    std::vector<GroupId> group_of = groups_of_shares(*groups_, module);
    const int shares = static_cast<int>(group_of.size());
    return std::make_unique<ShareRouter>(shares_of_streams(streams_, module, shares, herd_.split),
                                         std::move(group_of));
  }

 private:
  FlexParams flex_;
  HerdPlannerParams herd_;
  // For the routers.
  std::optional<HerdPlan> groups_;
  std::vector<Stream> streams_;
};

}  // namespace

std::unique_ptr<System> make_shepherd() { return std::make_unique<Shepherd>(); }

}  // namespace harness

#include "harness/serving/composed_system.h"

#include <utility>
#include <vector>

#include "harness/core/check.h"
#include "harness/serving/common_plans.h"

namespace harness {
namespace {

class ComposedSystem final : public System {
 public:
  ComposedSystem(std::unique_ptr<System> serves, std::unique_ptr<System> plans)
      : serves_(std::move(serves)), plans_(std::move(plans)) {
    HARNESS_CHECK(plans_->traits().plans_for_others, "a system is to plan for others, and does not");
  }

  void list(ParamList& params) override { serves_->list_serving(params); }
  std::unique_ptr<Scheduler> make_scheduler(const ServingContext& context, QueueId queue,
                                            GroupId group) override {
    return serves_->make_scheduler(context, queue, group);
  }
  std::unique_ptr<Controller> make_controller(const ServingContext& context, ModuleId module) override {
    return serves_->make_controller(context, module);
  }
  std::span<const char* const> state_names() const override { return serves_->state_names(); }
  std::unique_ptr<Router> make_router(const ServingContext& context, ModuleId module) override {
    return serves_->make_router(context, module);
  }

  std::unique_ptr<Planner> make_planner(const ServingContext& context) const override {
    return plans_->make_planner(context);
  }
  std::unique_ptr<Placement> make_placement(const ServingContext& context) override {
    std::unique_ptr<Placement> of_plans = plans_->make_placement(context);
    return of_plans ? std::move(of_plans) : serves_->make_placement(context);
  }
  TimeNs replan_period_ns(const ServingContext& context) const override {
    return plans_->replan_period_ns(context);
  }

  SystemTraits traits() const override {
    const SystemTraits serving = serves_->traits();
    SystemTraits both = plans_->traits();
    both.serves_streams = both.serves_streams && serving.serves_streams;
    both.serves_tasks = both.serves_tasks && serving.serves_tasks;
    both.serves_placements = false;
    both.plans_for_others = false;
    both.preempts = serving.preempts;
    return both;
  }

  void refine(const ServingContext& context, Plan& plan) override {
    std::vector<TimeNs> exec_ns;
    for (const ModulePlan& module : plan.modules) exec_ns.push_back(module.exec_ns);
    const std::vector<TimeNs> budgets = proportional_budgets(context, exec_ns);
    for (std::size_t m = 0; m < budgets.size(); ++m) plan.modules[m].budget_ns = budgets[m];
    serves_->refine(context, plan);
  }

 private:
  std::unique_ptr<System> serves_;
  std::unique_ptr<System> plans_;
};

}  // namespace

std::unique_ptr<System> composed_system(std::unique_ptr<System> serves, std::unique_ptr<System> plans) {
  return std::make_unique<ComposedSystem>(std::move(serves), std::move(plans));
}

}  // namespace harness

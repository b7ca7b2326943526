#include "systems/nexus/nexus.h"

#include <vector>

#include "harness/core/routes.h"
#include "harness/serving/batching_scheduler.h"
#include "systems/nexus/cycle_scheduler.h"
#include "systems/nexus/nexus_policy.h"
#include "systems/nexus/packing_planner.h"
#include "systems/nexus/quota_router.h"
#include "systems/nexus/split_latency.h"

namespace harness {
namespace {

/// Stretches the budgets by a common factor so that the longest path uses the whole SLO.
void stretch(const Pipeline& pipeline, TimeNs slo_ns, std::vector<TimeNs>& budgets) {
  __extension__ using Wide = __int128;
  const std::vector<double> cost(budgets.begin(), budgets.end());
  const auto longest = static_cast<TimeNs>(cost[0] + longest_after(pipeline, cost)[0]);
  for (TimeNs& budget : budgets) budget = static_cast<TimeNs>(static_cast<Wide>(budget) * slo_ns / longest);
}

class Nexus final : public System {
 public:
  void list(ParamList& params) override { params_.list(params); }

  SystemTraits traits() const override {
    return {.serves_streams = true,
            .wants_peaks = true,
            .models_are_preloaded = params_.model_loading == ModelLoading::kPreloaded};
  }
  TimeNs replan_period_ns(const ServingContext& context) const override {
    return has_independent_models(context) ? s_to_ns(params_.replan_s) : 0;
  }

  std::unique_ptr<Scheduler> make_scheduler(const ServingContext& context, QueueId, GroupId group) override {
    if (has_independent_models(context)) return std::make_unique<CycleScheduler>(context, group, params_);
    // Without groups a group is a module.
    return std::make_unique<BatchingScheduler<NexusPolicy>>(context, group, context, group, params_);
  }

  std::unique_ptr<Planner> make_planner(const ServingContext& context) const override {
    return has_independent_models(context) ? make_packing_planner(context, params_) : nullptr;
  }

  std::unique_ptr<Router> make_router(const ServingContext& context, ModuleId module) override {
    if (!has_independent_models(context)) return System::make_router(context, module);
    return std::make_unique<QuotaRouter>(module);
  }

  void refine(const ServingContext& context, Plan& plan) override {
    if (has_independent_models(context)) return;
    if (params_.budget == NexusBudget::kEndToEnd || !is_tree(*context.pipeline)) return;
    const std::vector<double> visits = visit_probabilities(*context.pipeline);
    std::vector<SplitModule> modules;
    for (std::size_t k = 0; k < plan.modules.size(); ++k) {
      // A budget below the planned batch's own execution time would have every visit dropped.
      modules.push_back({context.profiles[k], visits[k], plan.modules[k].max_batch, plan.modules[k].exec_ns});
    }
    const TimeNs step_ns = split_step(context.slo_ns, ms_to_ns(params_.split_step_ms));
    std::vector<TimeNs> budgets = split_latency(*context.pipeline, modules, context.slo_ns, step_ns);
    if (budgets.empty()) return;
    stretch(*context.pipeline, context.slo_ns, budgets);
    for (std::size_t k = 0; k < plan.modules.size(); ++k) plan.modules[k].budget_ns = budgets[k];
  }

 private:
  NexusParams params_;
};

}  // namespace

std::unique_ptr<System> make_nexus() { return std::make_unique<Nexus>(); }

}  // namespace harness

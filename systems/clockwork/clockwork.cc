#include "systems/clockwork/clockwork.h"

#include <algorithm>

#include "systems/clockwork/clockwork_scheduler.h"

namespace harness {
namespace {

/// One group: every worker serves every model.
class AllTogether final : public Planner {
 public:
  AllTogether(const ServingContext& context, int max_batch) : context_(context), max_batch_(max_batch) {}

  Plan plan(TimeNs, const LoadStatistics&, const Plan&) override {
    Plan plan;
    plan.groups.push_back({context_.workers, {}});
    for (const Profile* profile : context_.profiles) {
      ModulePlan module;
      module.workers = context_.workers;
      module.batch_cap = std::min(max_batch_, profile->max_batch());
      module.exec_ns = profile->latency(module.batch_cap);
      plan.groups.front().modules.push_back(static_cast<ModuleId>(plan.modules.size()));
      plan.modules.push_back(module);
    }
    return plan;
  }

 private:
  const ServingContext& context_;
  int max_batch_;
};

class Clockwork final : public System {
 public:
  void list(ParamList& params) override { params_.list(params); }

  bool serves_streams() const override { return true; }

  std::unique_ptr<Scheduler> make_scheduler(const ServingContext& context, DomainId, GroupId group) override {
    return std::make_unique<ClockworkScheduler>(context, group, params_);
  }
  /// Null where a module is no model on GPUs: the shared planner gives each module its own workers then.
  std::unique_ptr<Planner> make_planner(const ServingContext& context) const override {
    const auto is_batch = [](const Profile* profile) { return profile->service == Service::kBatch; };
    if (!std::all_of(context.profiles.begin(), context.profiles.end(), is_batch)) return nullptr;
    return std::make_unique<AllTogether>(context, params_.max_batch);
  }

 private:
  ClockworkParams params_;
};

}  // namespace

std::unique_ptr<System> make_clockwork() { return std::make_unique<Clockwork>(); }

}  // namespace harness

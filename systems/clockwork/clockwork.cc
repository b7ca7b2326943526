#include "systems/clockwork/clockwork.h"

#include "harness/serving/common_plans.h"
#include "systems/clockwork/clockwork_scheduler.h"

namespace harness {
namespace {

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

  bool serves_streams() const override { return true; }

  std::unique_ptr<Scheduler> make_scheduler(const ServingContext& context, DomainId, GroupId group) override {
    return std::make_unique<ClockworkScheduler>(context, group, params_);
  }
  /// Null where a module is no model on GPUs: the shared planner gives each module its own workers then.
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

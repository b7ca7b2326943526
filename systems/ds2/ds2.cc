#include "systems/ds2/ds2.h"

#include "harness/core/input_error.h"
#include "harness/serving/common_plans.h"
#include "systems/ds2/halting_scheduler.h"
#include "systems/ds2/scaling_params.h"
#include "systems/ds2/scaling_planner.h"

namespace harness {
namespace {

class Ds2 final : public System {
 public:
  void list(ParamList& params) override { params_.list(params); }
  SystemTraits traits() const override { return {.wants_sample = true, .plans_devices = true}; }
  TimeNs replan_period_ns(const ServingContext& context) const override {
    return has_only_batches(context) ? s_to_ns(params_.period_s) : 0;
  }
  /// Returns no planner if a module is a service; the shared planner then plans. Without a sample, in tests,
  /// every setting runs.
  std::unique_ptr<Planner> make_planner(const ServingContext& context) const override {
    if (has_only_batches(context)) {
      // A worker that a change adds would have a queue of its own, which knows of no halt.
      if (context.planning != nullptr && context.serving.queue == QueueScope::kWorker && params_.halt_s > 0)
        throw InputError(
            "serving.queue is \"worker\"; ds2 halts whole modules and needs \"module\", or halt_s = 0");
      return make_scaling_planner(context, params_);
    }
    if (context.devices.size() > 1)
      throw InputError("ds2 chooses among kinds of devices for models that run in batches alone");
    return nullptr;
  }
  std::unique_ptr<Scheduler> make_scheduler(const ServingContext&, QueueId, GroupId) override {
    return std::make_unique<HaltingScheduler>(s_to_ns(params_.halt_s));
  }

 private:
  ScalingParams params_;
};

}  // namespace

std::unique_ptr<System> make_ds2() { return std::make_unique<Ds2>(); }

}  // namespace harness

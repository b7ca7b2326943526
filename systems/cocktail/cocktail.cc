#include "systems/cocktail/cocktail.h"

#include "harness/serving/batching_scheduler.h"
#include "harness/serving/common_plans.h"
#include "harness/serving/fifo_policy.h"
#include "systems/cocktail/pipeline_scaling.h"
#include "systems/cocktail/pipeline_scaling_params.h"

namespace harness {
namespace {

class Cocktail final : public System {
 public:
  void list(ParamList& params) override { params_.list(params); }
  /// Asks for a sample only with foresight, of which it is a part.
  SystemTraits traits() const override {
    return {.wants_sample = has_foresight(),
            .wants_foresight = has_foresight(),
            .wants_module_statistics = params_.reactive};
  }
  TimeNs replan_period_ns(const ServingContext& context) const override {
    return plans(context) ? params_.window_ns() : 0;
  }
  std::unique_ptr<Planner> make_planner(const ServingContext& context) const override {
    return plans(context) ? make_pipeline_scaling(context, params_) : nullptr;
  }
  std::unique_ptr<Scheduler> make_scheduler(const ServingContext& context, QueueId, GroupId module) override {
    return std::make_unique<BatchingScheduler<FifoPolicy>>(context, module);
  }

 private:
  bool has_foresight() const { return params_.forecast == Forecast::kForesight; }
  /// False if the shared planner plans: a module is a service or, in tests, foresight has no run.
  bool plans(const ServingContext& context) const {
    return has_only_batches(context) && (!has_foresight() || context.planning != nullptr);
  }

  PipelineScalingParams params_;
};

}  // namespace

std::unique_ptr<System> make_cocktail() { return std::make_unique<Cocktail>(); }

}  // namespace harness

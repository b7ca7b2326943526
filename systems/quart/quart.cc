#include "systems/quart/quart.h"

#include "harness/serving/batching_scheduler.h"
#include "harness/serving/common_plans.h"
#include "harness/serving/fifo_policy.h"
#include "systems/quart/keys_placement.h"
#include "systems/quart/placement_params.h"
#include "systems/quart/quart_planner.h"

namespace harness {
namespace {

class Quart final : public System {
 public:
  void list(ParamList& params) override {
    params_.list(params);
    placement_.list(params);
  }
  void list_serving(ParamList& params) override { placement_.list(params); }
  SystemTraits traits() const override {
    const bool has_foresight = params_.corrector.corrector == CorrectorMethod::kForesight;
    return {.serves_streams = true,
            .wants_sample = has_foresight,
            .wants_foresight = has_foresight,
            .wants_module_statistics = true,
            .plans_cores = params_.cores == Cores::kOn,
            .plans_for_others = true};
  }
  TimeNs replan_period_ns(const ServingContext& context) const override {
    return has_only_batches(context) ? ms_to_ns(params_.period_ms) : 0;
  }
  /// Returns no planner if a module is a service; the shared planner then plans.
  std::unique_ptr<Planner> make_planner(const ServingContext& context) const override {
    return has_only_batches(context) ? make_quart_planner(context, params_) : nullptr;
  }
  std::unique_ptr<Placement> make_placement(const ServingContext& context) override {
    return make_keys_placement(context, placement_);
  }
  std::unique_ptr<Scheduler> make_scheduler(const ServingContext& context, QueueId, GroupId module) override {
    return std::make_unique<BatchingScheduler<FifoPolicy>>(context, module);
  }

 private:
  QuartParams params_;
  PlacementParams placement_;
};

}  // namespace

std::unique_ptr<System> make_quart() { return std::make_unique<Quart>(); }

}  // namespace harness

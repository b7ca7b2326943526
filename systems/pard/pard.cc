#include "systems/pard/pard.h"

#include "harness/serving/batching_scheduler.h"
#include "systems/pard/pard_controller.h"
#include "systems/pard/pard_params.h"
#include "systems/pard/pard_policy.h"
#include "systems/pard/pard_state.h"

namespace harness {
namespace {

class Pard final : public System {
 public:
  void list(ParamList& params) override { params_.list(params); }

  std::unique_ptr<Scheduler> make_scheduler(const ServingContext& context, QueueId,
                                            ModuleId module) override {
    return std::make_unique<BatchingScheduler<PardPolicy>>(context, module, context, module, params_,
                                                           starts_);
  }

  std::unique_ptr<Controller> make_controller(const ServingContext& context, ModuleId module) override {
    return std::make_unique<PardController>(context, module, params_);
  }

  std::span<const char* const> state_names() const override { return PardState::names(); }

 private:
  PardParams params_;
  std::shared_ptr<StartEstimates> starts_ = std::make_shared<StartEstimates>();
};

}  // namespace

std::unique_ptr<System> make_pard() { return std::make_unique<Pard>(); }

}  // namespace harness

#include "systems/triton/triton.h"

#include "harness/serving/batching_scheduler.h"
#include "systems/triton/dynamic_batcher.h"
#include "systems/triton/triton_params.h"

namespace harness {
namespace {

class Triton final : public System {
 public:
  void list(ParamList& params) override { params_.list(params); }
  SystemTraits traits() const override { return {.serves_streams = true}; }
  /// Returns no planner, so that the shared one plans; throws ParamError if the preferred sizes cannot be
  /// read.
  std::unique_ptr<Planner> make_planner(const ServingContext&) const override {
    params_.preferred_sizes();
    return nullptr;
  }
  std::unique_ptr<Scheduler> make_scheduler(const ServingContext& context, QueueId,
                                            ModuleId module) override {
    return std::make_unique<BatchingScheduler<DynamicBatcher>>(context, module, params_);
  }

 private:
  TritonParams params_;
};

}  // namespace

std::unique_ptr<System> make_triton() { return std::make_unique<Triton>(); }

}  // namespace harness

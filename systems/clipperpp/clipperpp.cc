#include "systems/clipperpp/clipperpp.h"

#include "harness/serving/batching_scheduler.h"
#include "systems/clipperpp/clipperpp_params.h"
#include "systems/clipperpp/clipperpp_policy.h"

namespace harness {
namespace {

class Clipperpp final : public System {
 public:
  void list(ParamList& params) override { params_.list(params); }
  std::unique_ptr<Scheduler> make_scheduler(const ServingContext& context, QueueId,
                                            ModuleId module) override {
    return std::make_unique<BatchingScheduler<ClipperppPolicy>>(context, module, context, module, params_);
  }

 private:
  ClipperppParams params_;
};

}  // namespace

std::unique_ptr<System> make_clipperpp() { return std::make_unique<Clipperpp>(); }

}  // namespace harness

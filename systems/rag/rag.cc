#include "systems/rag/rag.h"

#include "harness/serving/batching_scheduler.h"
#include "systems/rag/rag_controller.h"
#include "systems/rag/rag_params.h"
#include "systems/rag/rag_policy.h"

namespace harness {
namespace {

class Rag final : public System {
 public:
  void list(ParamList& params) override { params_.list(params); }

  std::unique_ptr<Scheduler> make_scheduler(const ServingContext& context, QueueId,
                                            ModuleId module) override {
    return std::make_unique<BatchingScheduler<RagPolicy>>(context, module, context, module, params_);
  }

  std::unique_ptr<Controller> make_controller(const ServingContext& context, ModuleId module) override {
    return std::make_unique<RagController>(context, module, params_);
  }

 private:
  RagParams params_;
};

}  // namespace

std::unique_ptr<System> make_rag() { return std::make_unique<Rag>(); }

}  // namespace harness

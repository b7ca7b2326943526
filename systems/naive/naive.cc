#include "systems/naive/naive.h"

#include "harness/serving/batching_scheduler.h"
#include "harness/serving/fifo_policy.h"

namespace harness {
namespace {

class Naive final : public System {
 public:
  void list(ParamList&) override {}
  SystemTraits traits() const override { return {.serves_streams = true}; }
  std::unique_ptr<Scheduler> make_scheduler(const ServingContext& context, QueueId,
                                            ModuleId module) override {
    return std::make_unique<BatchingScheduler<FifoPolicy>>(context, module);
  }
};

}  // namespace

std::unique_ptr<System> make_naive() { return std::make_unique<Naive>(); }

}  // namespace harness

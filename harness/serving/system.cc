#include "harness/serving/system.h"

#include "harness/serving/common_routers.h"

namespace harness {

std::unique_ptr<Router> System::make_router(const ServingContext& context, ModuleId) {
  return context.serving.dispatch == Dispatch::kRoundRobin ? make_round_robin_router()
                                                           : make_least_outstanding_router();
}

}  // namespace harness

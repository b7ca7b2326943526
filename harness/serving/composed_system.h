// A system that serves by the plans of another: any scheduler on any planner, each as it is.
#pragma once

#include <memory>

#include "harness/serving/system.h"

namespace harness {

/// Schedulers, controllers, routers and parameters (System::list_serving) are those of `serves`. `plans`,
/// which plans for others (System::plans_for_others), has the planner, with its period and all that it is
/// told. Latency budgets are each module's share of the SLO by the planned execution times, as the shared
/// planner's are; `serves` may refine them. The placement is that of `plans`, or without one that of
/// `serves`. Neither `serves` nor its controllers may count on a planner of its own: it has none, or plans
/// for others too.
std::unique_ptr<System> composed_system(std::unique_ptr<System> serves, std::unique_ptr<System> plans);

}  // namespace harness

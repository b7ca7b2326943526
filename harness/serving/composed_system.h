// A system that serves by the plans of another: any scheduler runs with any planner, and both stay as they
// are.
#pragma once

#include <memory>

#include "harness/serving/system.h"

namespace harness {

/// Makes a system of two. `serves` provides the schedulers, controllers, routers and parameters
/// (System::list_serving). `plans`, which must plan for others (SystemTraits::plans_for_others), provides the
/// planner, with its period and everything that it is told. Each module's latency budget is its share of the
/// SLO by the planned execution times, as with the shared planner; `serves` may refine the budgets. `plans`
/// provides the placement or, if it has no placement, `serves` does. Neither `serves` nor its controllers may
/// count on a planner of its own: `serves` has no such planner, or plans for others too.
std::unique_ptr<System> composed_system(std::unique_ptr<System> serves, std::unique_ptr<System> plans);

}  // namespace harness

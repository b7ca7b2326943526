// The routers that systems share.
#pragma once

#include <memory>

#include "harness/serving/router.h"

namespace harness {

/// Makes a router that takes one queue after the other.
std::unique_ptr<Router> make_round_robin_router();
/// Makes a router that takes the queue with the fewest outstanding visits per worker; ties go to the lowest
/// id.
std::unique_ptr<Router> make_least_outstanding_router();

}  // namespace harness

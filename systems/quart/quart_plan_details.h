// The details from QUART's planner to its placement.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/serving/plan.h"

namespace harness {

struct QuartPlanDetails final : PlanDetails {
  std::vector<std::uint8_t> is_key;  ///< 1 if the Corrector has enlarged it (section 6.1), by module
};

}  // namespace harness

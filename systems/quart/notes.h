// What QUART's planner tells its placement.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/serving/plan.h"

namespace harness {

struct QuartNotes final : PlanNotes {
  std::vector<std::uint8_t> is_key;  ///< by module: the Corrector has enlarged it (section 6.1)
};

}  // namespace harness

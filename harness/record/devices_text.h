// What a run's batches ran on, as a row of /summary says it.
#pragma once

#include <span>
#include <string>

#include "harness/record/run_record.h"

namespace harness {

/// "8 x NVIDIA H200, driver 580.95.05", kinds and drivers in the order of the ranks; "" when no rank has
/// devices.
std::string devices_text(std::span<const RankTotals> ranks);

}  // namespace harness

// What planners of several systems have in common.
#pragma once

#include <cstddef>

#include "harness/serving/context.h"
#include "harness/serving/plan.h"

namespace harness {

/// The most groups that a plan may have: what GroupId numbers, less one for "none".
inline constexpr std::size_t kMostGroups = 65'534;

/// Throws InputError where a plan would have more groups than it may.
void check_group_count(std::size_t groups);

/// Whether every module is a model that runs in batches: no shared server and no thread pool.
bool has_only_batches(const ServingContext& context);

/// One group: every worker serves every module, in batches of at most `max_batch`.
Plan one_group_plan(const ServingContext& context, int max_batch);

}  // namespace harness

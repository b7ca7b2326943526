// What planners of several systems have in common.
#pragma once

#include "harness/serving/context.h"
#include "harness/serving/plan.h"

namespace harness {

/// Whether every module is a model that runs in batches: no shared server and no thread pool.
bool has_only_batches(const ServingContext& context);

/// One group: every worker serves every module, in batches of at most `max_batch`.
Plan one_group_plan(const ServingContext& context, int max_batch);

}  // namespace harness

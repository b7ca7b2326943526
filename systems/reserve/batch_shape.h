// The batches that a timetable reserves for, by module.
#pragma once

#include <vector>

#include "harness/core/types.h"
#include "harness/serving/plan.h"
#include "harness/serving/serving_context.h"

namespace harness {

/// The batches of one module in a timetable.
struct BatchShape {
  int size = 1;
  TimeNs exec_ns = 0;  ///< time reserved for each batch, of any number of visits: the longest up to that size

  /// Returns the time between the starts of two successive batches, which are evenly spaced over the workers.
  TimeNs spacing_ns(int workers) const { return (exec_ns + workers - 1) / workers; }
};

/// Returns a shape for each module, for the workers of the plan: the smallest batches that reach the
/// bottleneck's rate, or a part of that rate if a path of these batches leaves so little time until the SLO
/// that requests would miss them. The part is chosen for which the lesser of two shares is greatest: the part
/// itself, and the share of all requests that can take the next batch of each module and end in time.
std::vector<BatchShape> batch_shapes(const ServingContext& context, const Plan& plan);

/// Returns the time that a batch of `size` takes there; the planned time for services other than batches.
TimeNs batch_ns(const ServingContext& context, const Plan& plan, ModuleId module, int size);

}  // namespace harness

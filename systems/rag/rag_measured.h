// What `rag`'s modules measure of themselves, and the estimate for the modules after one.
#pragma once

#include <vector>

#include "harness/core/profile.h"
#include "harness/core/types.h"
#include "harness/serving/plan.h"
#include "harness/serving/serving_context.h"

namespace harness {

/// The recent means that a module has measured of itself.
struct RagMeasured {
  double queueing_ns = 0;
  /// Mean time of a visit (without its prefill if it ends at its first token); unused for batch modules.
  double exec_ns = 0;
  double slowdown = 1;  ///< exec_ns over the time that the visits would have taken alone
};

/// Returns the assumptions for a module that has measured nothing.
RagMeasured assumed(const Profile& profile);

/// Returns the longest path after `module`, of queueing, batch wait and execution as measured; without the
/// prefills of services that end at their first token, which depend on the request.
double downstream_ns(const ServingContext& context, ModuleId module, const Plan& plan,
                     const std::vector<RagMeasured>& measured, double lambda);

}  // namespace harness

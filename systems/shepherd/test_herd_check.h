// Checks a plan of HERD against every constraint of Eq. 2. Shares no code with the planner.
#pragma once

#include <string>
#include <vector>

#include "systems/shepherd/herd_plan.h"

namespace harness {

/// Returns the faults of `plan`, one sentence each; empty if there are no faults. A sentence begins with the
/// constraint's letter: (a) cluster-size limit, (b) group-worker limit, (c) memory limit, (d) group
/// surjectivity: every model-stream is in exactly one group, and its model with it, (e) affinity: K between
/// any two models of a group is at most the limit. Or it begins with "number of groups"; with "value",
/// "bound" or "gap" for the plan's own figures; or with "form" for a malformed plan. For plans that are
/// kOptimal or kFeasible.
std::vector<std::string> herd_violations(const HerdInput& input, const HerdPlan& plan);

}  // namespace harness

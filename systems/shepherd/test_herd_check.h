// Checks a plan of HERD against every constraint of Eq. 2. Shares no code with the planner.
#pragma once

#include <string>
#include <vector>

#include "systems/shepherd/herd.h"

namespace harness {

/// What is wrong with `plan`, one sentence each, beginning with the constraint's letter: (a) cluster-size
/// limit, (b) group-worker limit, (c) memory limit, (d) group surjectivity: every model-stream is in exactly
/// one group, and its model with it, (e) affinity: K between any two models of a group is at most the limit;
/// "number of groups"; "value", "bound" and "gap" for what the plan says of itself; "form" for a malformed
/// plan. Empty: nothing. For plans that are kOptimal or kFeasible.
std::vector<std::string> herd_violations(const HerdInput& input, const HerdPlan& plan);

}  // namespace harness

// The cheapest feasible configuration, to see how far InferLine's greedy Planner (section 4.3) is from it:
// beyond the paper.
#pragma once

#include "harness/core/pipeline.h"
#include "harness/core/types.h"
#include "systems/inferline/estimator.h"
#include "systems/inferline/greedy_planner.h"
#include "systems/inferline/hardware.h"

namespace harness {

/// The outcome of a search.
struct ExactPlan {
  Configuration configuration;  ///< cheapest feasible configuration known; empty if there is no such one
  double bound = 0;             ///< lower bound in $/h: no feasible configuration costs less
  int simulations = 0;          ///< number of simulations, of one model each
  bool is_proven = false;       ///< true if no cheaper configuration is feasible, or no configuration at all
};

/// Searches all configurations whose maximum batches are powers of two, as in Algorithm 2, and whose devices
/// of each kind are within the cluster's counts, for the cheapest feasible one. `planner` decides what is
/// feasible. `known` is a feasible configuration, or empty. After `max_simulations` simulations of one model
/// the search stops with the cheapest configuration known.
///
/// It is a branch and bound over the models in their order, in bands of rising cost. A choice for the first
/// models is dropped with all its continuations if the model chosen last cannot keep up, if more than 1 % of
/// the queries leave that model too late for the fastest hardware after it, or if its cost, plus the least
/// cost at which the other models keep up, is above the band or not below the cheapest known. More replicas
/// than are ever busy at once, and larger batches than ever wait, change nothing and are not tried.
ExactPlan exact_plan(const Pipeline& pipeline, const Hardware& hardware, Estimator& estimator,
                     GreedyPlanner& planner, TimeNs slo_ns, int max_simulations, const Configuration& known);

/// Returns the result of exact_plan with the greedy plan as `known`; the greedy plan if the search finds
/// none. Throws what GreedyPlanner::plan throws if neither finds a plan.
Configuration optimal_plan(const Pipeline& pipeline, const Hardware& hardware, Estimator& estimator,
                           GreedyPlanner& planner, TimeNs slo_ns, int max_simulations);

}  // namespace harness

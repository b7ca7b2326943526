// The cheapest feasible configuration, to see how far InferLine's greedy Planner (section 4.3) is from it:
// beyond the paper.
#pragma once

#include "systems/inferline/planning.h"

namespace harness {

struct ExactPlan {
  Configuration configuration;  ///< the cheapest known; empty: none is
  double bound = 0;             ///< $/h: no feasible configuration costs less
  int simulations = 0;          ///< of one model each
  bool is_proven = false;       ///< none is cheaper, or none is feasible
};

/// Among all configurations whose maximum batches are powers of two, as those of Algorithm 2 are, with their
/// kinds of devices within the counts. `known`: a feasible configuration, or empty. Stops, with the cheapest
/// known, after so many simulations of one model. Feasible is what `planner` calls so.
///
/// Branch and bound over the models in their order, in bands of rising cost. A choice for the first models is
/// dropped with all that could follow where the model chosen last cannot keep up, where more than 1 % of the
/// queries leave it too late for the fastest hardware behind it, and where what it costs, with the least for
/// which the other models keep up, is above the band or not below the cheapest known. More replicas than are
/// ever busy at once, and larger batches than ever wait, change nothing and are not tried.
ExactPlan exact_plan(const Pipeline& pipeline, const Hardware& hardware, Estimator& estimator,
                     GreedyPlanner& planner, TimeNs slo_ns, int max_simulations, const Configuration& known);

/// exact_plan from the greedy plan on; that one where none is found. Throws what GreedyPlanner::plan does.
Configuration optimal_plan(const Pipeline& pipeline, const Hardware& hardware, Estimator& estimator,
                           GreedyPlanner& planner, TimeNs slo_ns, int max_simulations);

}  // namespace harness

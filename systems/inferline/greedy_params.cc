#include "systems/inferline/greedy_params.h"

namespace harness {

void GreedyParams::list(ParamList& params) {
  params
      .choice("batch_choice", batch_choice, {"saving", "first"},
              "which batch is doubled when no action cuts cost (all save 0 $): of the model whose larger "
              "batches make most $ of replicas superfluous, or of the first (reconstruction)")
      .reading();
  params.number("max_utilisation", max_utilisation, 0.05, 1,
                "no model is planned at a higher load than this share of its throughput (reconstruction)");
  params.number(
      "sizing_factor", sizing_factor, 0, 100,
      "a plan is infeasible too where factor x the longest path of full batches is longer than the SLO, "
      "as those take for granted who estimate by full batches (planner.sizing_factor; beyond the paper); "
      "0: full batches may take any time");
}

}  // namespace harness

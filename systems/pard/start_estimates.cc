#include "systems/pard/start_estimates.h"

#include "systems/pard/downstream_estimate.h"

namespace harness {

double StartEstimates::downstream_ns(const ServingContext& context, ModuleId module, const PardParams& params,
                                     const Plan& plan) {
  const auto found = made_.find(module);
  if (found != made_.end() && found->second.plan == plan) return found->second.downstream_ns;
  DownstreamEstimate start(context, module, params);
  start.on_plan(plan);
  const double downstream_ns = start.compute(0).downstream_ns;
  made_[module] = {plan, downstream_ns};
  return downstream_ns;
}

}  // namespace harness

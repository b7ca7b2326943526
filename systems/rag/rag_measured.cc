#include "systems/rag/rag_measured.h"

#include "harness/core/routes.h"

namespace harness {

RagMeasured assumed(const Profile& profile) {
  RagMeasured measured;
  const bool prefill_alone = profile.service == Service::kShared && profile.shared.ends_at_first_token;
  if (!prefill_alone) measured.exec_ns = static_cast<double>(profile.latency(1));
  return measured;
}

double downstream_ns(const ServingContext& context, ModuleId module, const Plan& plan,
                     const std::vector<RagMeasured>& measured, double lambda) {
  std::vector<double> cost;
  for (std::size_t m = 0; m < measured.size(); ++m) {
    const bool is_batch = context.profiles[m]->service == Service::kBatch;
    const double batch_ns = (1 + lambda) * static_cast<double>(plan.modules[m].exec_ns);
    cost.push_back(measured[m].queueing_ns + (is_batch ? batch_ns : measured[m].exec_ns));
  }
  return longest_after(*context.pipeline, cost)[module];
}

}  // namespace harness

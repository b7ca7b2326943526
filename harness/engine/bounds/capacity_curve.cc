#include "harness/engine/bounds/capacity_curve.h"

#include <algorithm>

#include "harness/core/routes.h"

namespace harness {

CapacityCurve::CapacityCurve(const Pipeline& pipeline, const RunRecord& record,
                             std::span<const Profile> profiles) {
  const std::vector<double> visits = visit_probabilities(pipeline);
  std::vector<double> module_rps(record.modules.size(), 0.0);
  for (std::size_t i = 0; i < record.plans.size(); ++i) {
    const PlanRow& row = record.plans[i];
    const bool is_batch = profiles.empty() || profiles[row.module].service == Service::kBatch;
    const double visits_rps = is_batch ? row.workers * row.max_batch / ns_to_s(row.exec_ns)
                                       : row.workers * worker_rps(profiles[row.module], 1);
    module_rps[row.module] = visits_rps / visits[row.module];
    const bool last_at_this_time = i + 1 == record.plans.size() || record.plans[i + 1].at_ns > row.at_ns;
    if (last_at_this_time)
      steps_.push_back({row.at_ns, *std::min_element(module_rps.begin(), module_rps.end())});
  }
}

double CapacityCurve::at(TimeNs now) const {
  const auto after = std::upper_bound(steps_.begin(), steps_.end(), now,
                                      [](TimeNs time, const Step& step) { return time < step.at_ns; });
  return after == steps_.begin() ? 0.0 : (after - 1)->capacity_rps;
}

}  // namespace harness

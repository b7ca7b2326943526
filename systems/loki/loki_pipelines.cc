#include "systems/loki/loki_pipelines.h"

#include <algorithm>
#include <utility>

namespace harness {

bool is_for_loki(const ServingContext& context) {
  const std::vector<Module>& modules = context.pipeline->modules;
  const bool is_tree =
      entries_in(*context.pipeline).size() == 1 &&
      std::all_of(modules.begin(), modules.end(), [](const Module& each) { return each.pres.size() <= 1; });
  return is_tree && std::all_of(context.profiles.begin(), context.profiles.end(),
                                [](const Profile* profile) { return profile->service == Service::kBatch; });
}

std::vector<std::vector<double>> declared_fan_out(const Pipeline& pipeline) {
  std::vector<std::vector<double>> fan_out;
  for (const Module& module : pipeline.modules) {
    std::vector<double> means = pipeline.has_tasks() ? module.fan_out : module.branch_weights;
    if (!pipeline.has_tasks() && module.branches == Branches::kAll) means.assign(module.subs.size(), 1);
    double sum = 0;
    for (const double mean : means) sum += mean;
    if (!pipeline.has_tasks() && module.branches == Branches::kOne) {
      for (double& mean : means) mean /= sum;
    }
    fan_out.push_back(std::move(means));
  }
  return fan_out;
}

std::vector<double> task_demands(const Pipeline& pipeline, const std::vector<std::vector<double>>& fan_out,
                                 double rate_rps) {
  std::vector<double> demand(pipeline.modules.size(), 0);
  demand.front() = rate_rps;
  for (std::size_t m = 0; m < pipeline.modules.size(); ++m) {
    if (pipeline.task_of(static_cast<ModuleId>(m)) != m) continue;
    const std::vector<ModuleId>& subs = pipeline.modules[m].subs;
    for (std::size_t s = 0; s < subs.size(); ++s) demand[subs[s]] += demand[m] * fan_out[m][s];
  }
  return demand;
}

}  // namespace harness

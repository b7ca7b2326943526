#include "systems/cocktail/whole_pipelines.h"

#include <algorithm>
#include <cmath>

#include "harness/core/routes.h"

namespace harness {
namespace {

/// Rounds up, except that a number meant to be whole does not cost one more by rounding errors.
double rounded_up(double value) { return std::ceil(value - 1e-9); }

}  // namespace

WholePipelines::WholePipelines(const ServingContext& context, const std::vector<int>& batches) {
  const std::vector<double> visits = visit_probabilities(*context.pipeline);
  for (std::size_t m = 0; m < batches.size(); ++m)
    work_s_.push_back(visits[m] / worker_rps(*context.profiles[m], batches[m]));
  slowest_ = static_cast<std::size_t>(std::ranges::max_element(work_s_) - work_s_.begin());
  const auto fits = [&](int pipelines) {
    const std::vector<int> each = workers(pipelines);
    int gpus = 0;
    for (std::size_t m = 0; m < each.size(); ++m) {
      const int of_instance = context.profiles[m]->gpus;
      if (each[m] > context.servers.instances(context.workers, of_instance)) return false;
      gpus += each[m] * of_instance;
    }
    return gpus <= context.workers;
  };
  while (fits(most_ + 1)) ++most_;
}

std::vector<int> WholePipelines::workers(int pipelines) const {
  std::vector<int> each;
  for (const double work_s : work_s_)
    each.push_back(static_cast<int>(std::max(1.0, rounded_up(pipelines * (work_s / work_s_[slowest_])))));
  return each;
}

int WholePipelines::holding(const std::vector<double>& busy) const {
  double most = 1;
  for (std::size_t m = 0; m < busy.size(); ++m) {
    if (work_s_[m] > 0) most = std::max(most, busy[m] * (work_s_[slowest_] / work_s_[m]));
  }
  return static_cast<int>(std::min<double>(most_, rounded_up(most)));
}

int WholePipelines::carrying(double rate_rps) const {
  return static_cast<int>(std::clamp<double>(rounded_up(rate_rps * work_s_[slowest_]), 1, most_));
}

}  // namespace harness

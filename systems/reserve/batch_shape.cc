#include "systems/reserve/batch_shape.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "harness/core/profile.h"
#include "harness/core/routes.h"

namespace harness {
namespace {

constexpr int kSteps = 20;  ///< number of steps in which rates are lowered

/// Returns the shapes for batch sizes from 1 on.
std::vector<BatchShape> possible_shapes(const ServingContext& context, const Plan& plan, ModuleId module) {
  std::vector<BatchShape> shapes;
  const Profile& profile = *context.profiles[module];
  const int largest =
      profile.service == Service::kBatch ? std::min(plan.modules[module].max_batch, profile.max_batch()) : 1;
  TimeNs longest = 0;
  for (int size = 1; size <= largest; ++size) {
    longest = std::max(longest, batch_ns(context, plan, module, size));
    shapes.push_back({size, longest});
  }
  return shapes;
}

double rate(const BatchShape& shape, int workers) {
  return static_cast<double>(workers) * shape.size / static_cast<double>(shape.exec_ns);
}

double best_rate(const std::vector<BatchShape>& shapes, int workers) {
  double best = 0;
  for (const BatchShape& shape : shapes) best = std::max(best, rate(shape, workers));
  return best;
}

/// Returns for each module the smallest of `possible` whose rate is at least the wanted one.
std::vector<BatchShape> smallest_shapes(const Plan& plan,
                                        const std::vector<std::vector<BatchShape>>& possible,
                                        const std::vector<double>& wanted) {
  std::vector<BatchShape> shapes;
  for (ModuleId m = 0; m < plan.modules.size(); ++m) {
    const int workers = plan.modules[m].workers;
    shapes.push_back(*std::find_if(possible[m].begin(), possible[m].end(), [&](const BatchShape& shape) {
      return rate(shape, workers) >= wanted[m];
    }));
  }
  return shapes;
}

/// Returns the share of requests, arriving at any time, that can take the next batch of each module and end
/// in time.
double share_in_time(const ServingContext& context, const Plan& plan, const std::vector<BatchShape>& shapes) {
  std::vector<double> exec_ns;
  std::vector<double> spacing_ns;
  for (ModuleId m = 0; m < plan.modules.size(); ++m) {
    exec_ns.push_back(static_cast<double>(shapes[m].exec_ns));
    spacing_ns.push_back(static_cast<double>(shapes[m].spacing_ns(std::max(1, plan.modules[m].workers))));
  }
  const auto longest = [&](const std::vector<double>& times_ns) {
    return longest_after(*context.pipeline, times_ns).front() + times_ns.front();
  };
  return std::clamp((static_cast<double>(context.slo_ns) - longest(exec_ns)) / longest(spacing_ns), 0.0, 1.0);
}

}  // namespace

TimeNs batch_ns(const ServingContext& context, const Plan& plan, ModuleId module, int size) {
  const Profile& profile = *context.profiles[module];
  if (profile.service != Service::kBatch) return plan.modules[module].exec_ns;
  return latency_with_cores(profile, size, plan.modules[module].cores);
}

std::vector<BatchShape> batch_shapes(const ServingContext& context, const Plan& plan) {
  const std::vector<double> shares = visit_probabilities(*context.pipeline);
  std::vector<std::vector<BatchShape>> possible;
  double capacity = std::numeric_limits<double>::infinity();  // requests/ns
  for (ModuleId m = 0; m < plan.modules.size(); ++m) {
    possible.push_back(possible_shapes(context, plan, m));
    capacity = std::min(capacity, best_rate(possible[m], plan.modules[m].workers) / shares[m]);
  }
  std::vector<BatchShape> best;
  double most = -1;
  for (int step = kSteps; step > 0; --step) {
    const double part = static_cast<double>(step) / kSteps;
    if (part <= most) break;
    std::vector<double> wanted;
    for (ModuleId m = 0; m < plan.modules.size(); ++m) {
      wanted.push_back(part *
                       std::min(capacity * shares[m], best_rate(possible[m], plan.modules[m].workers)));
    }
    std::vector<BatchShape> shapes = smallest_shapes(plan, possible, wanted);
    const double served = std::min(part, share_in_time(context, plan, shapes));
    if (served <= most) continue;
    most = served;
    best = std::move(shapes);
  }
  return best;
}

}  // namespace harness

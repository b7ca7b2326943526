#include "systems/shepherd/group_sizes.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

namespace harness {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double tolerance_of(int gpus, double need) { return need > 0 ? gpus / need : kInfinity; }

}  // namespace

int required_gpus(double need, double tolerance) {
  if (need <= 0 || tolerance <= 0) return 1;
  constexpr double kMax = 1e9;
  int gpus = static_cast<int>(std::clamp(std::ceil(need * tolerance), 1.0, kMax));
  // Rounding may leave it one off: the quotient decides, as the plan reports it.
  while (gpus > 1 && (gpus - 1) / need >= tolerance) --gpus;
  while (gpus / need < tolerance && gpus < static_cast<int>(kMax)) ++gpus;
  return gpus;
}

GroupSizes best_sizes(std::span<const double> tops, int gpus, int limit) {
  GroupSizes sizes;
  if (static_cast<int>(tops.size()) > gpus || limit < 1) return sizes;
  sizes.gpus.assign(tops.size(), 1);
  using Entry = std::pair<double, std::size_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> lowest;
  for (std::size_t g = 0; g < tops.size(); ++g) lowest.push({tolerance_of(1, tops[g]), g});
  int left = gpus - static_cast<int>(tops.size());
  while (!lowest.empty()) {
    const auto [tolerance, g] = lowest.top();
    sizes.tolerance = tolerance;
    if (left == 0 || sizes.gpus[g] == limit || tolerance == kInfinity) return sizes;
    lowest.pop();
    --left;
    lowest.push({tolerance_of(++sizes.gpus[g], tops[g]), g});
  }
  sizes.tolerance = kInfinity;
  return sizes;
}

}  // namespace harness

#include "systems/shepherd/herd_affinity.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <tuple>

#include "harness/core/check.h"

namespace harness {

double affinity(const HerdModel& i, const HerdModel& j) {
  HARNESS_CHECK(i.alpha_ms > 0 && j.alpha_ms > 0 && i.beta_ms >= 0 && j.beta_ms >= 0,
                "a model's alpha must be positive, its beta not negative");
  const double single = (i.alpha_ms + i.beta_ms) / j.alpha_ms;
  const double headroom = j.alpha_ms + (j.beta_ms - i.beta_ms);  // exactly alpha for equal betas
  if (headroom <= 0) return single;
  return std::min(single, std::max(i.alpha_ms / headroom, i.alpha_ms / j.alpha_ms));
}

double divergence(const HerdModel& i, const HerdModel& j) { return std::max(affinity(i, j), affinity(j, i)); }

std::vector<int> affinity_sets(std::span<const HerdModel> models, double limit) {
  std::vector<int> set_of(models.size(), 0);
  if (limit <= 0) return set_of;
  std::vector<std::size_t> order(models.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t i) { return std::tuple(models[i].alpha_ms, models[i].beta_ms, i); };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });

  // Models of equal alpha and beta agree with the same others, so that one of them stands for all in a set.
  std::vector<std::vector<const HerdModel*>> sets;
  const HerdModel* last = nullptr;
  int last_set = 0;
  for (const std::size_t i : order) {
    const HerdModel& model = models[i];
    if (last == nullptr || last->alpha_ms != model.alpha_ms || last->beta_ms != model.beta_ms) {
      const auto agrees = [&](const std::vector<const HerdModel*>& set) {
        return std::all_of(set.begin(), set.end(),
                           [&](const HerdModel* other) { return divergence(model, *other) <= limit; });
      };
      const auto found = std::find_if(sets.begin(), sets.end(), agrees);
      last_set = static_cast<int>(found - sets.begin());
      if (found == sets.end()) sets.emplace_back();
      sets[static_cast<std::size_t>(last_set)].push_back(&model);
      last = &model;
    }
    set_of[i] = last_set;
  }
  return set_of;
}

}  // namespace harness

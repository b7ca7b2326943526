#include "harness/core/routes.h"

#include <algorithm>
#include <limits>

#include "harness/core/random_stream.h"

namespace harness {
namespace {

constexpr std::uint64_t kMaxModules = 64;

/// Returns for each module the least value over the routes that visit it and that some requests take.
template <class Longest>
std::vector<double> least_over(const Pipeline& pipeline, const Routes& routes, Longest longest) {
  std::vector<double> least(pipeline.modules.size(), std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < routes.size(); ++i) {
    if (routes[i].probability <= 0) continue;
    const std::vector<double> values = longest(routes[i]);
    for (ModuleId m = 0; m < least.size(); ++m) {
      if (routes[i].visits(m)) least[m] = std::min(least[m], values[m]);
    }
  }
  return least;
}

}  // namespace

Routes::Routes(const Pipeline& pipeline, std::uint64_t seed) : seed_(seed) {
  std::size_t count = 1;
  for (ModuleId m = 0; m < pipeline.modules.size(); ++m) {
    const Module& module = pipeline.modules[m];
    if (module.branches == Branches::kAll) continue;
    Choice choice;
    choice.module = m;
    choice.is_each = module.branches == Branches::kEach;
    choice.stride = count;
    choice.ways = choice.is_each ? std::size_t{1} << module.subs.size() : module.subs.size();
    double total = 0;
    for (const double weight : module.branch_weights) total += weight;
    double sum = 0;
    for (const double weight : module.branch_weights) {
      sum += weight;
      choice.up_to.push_back(sum / total);
      choice.probabilities.push_back(choice.is_each ? weight : weight / total);
    }
    count *= choice.ways;
    choices_.push_back(std::move(choice));
  }
  for (std::size_t index = 0; index < count; ++index) routes_.push_back(make_route(pipeline, index));
}

std::size_t Routes::way_of(const Choice& choice, RequestId request) const {
  RandomStream random(seed_, "branch", request * kMaxModules + choice.module);
  std::size_t way = 0;
  if (choice.is_each) {
    for (std::size_t sub = 0; sub < choice.probabilities.size(); ++sub)
      way |= std::size_t{random.uniform() < choice.probabilities[sub]} << sub;
    return way;
  }
  const double drawn = random.uniform();
  while (way + 1 < choice.up_to.size() && drawn >= choice.up_to[way]) ++way;
  return way;
}

Route Routes::make_route(const Pipeline& pipeline, std::size_t index) const {
  Route route;
  route.taken.assign(pipeline.modules.size(), 0);
  route.branches.assign(pipeline.modules.size(), 0);
  for (ModuleId m = 0; m < pipeline.modules.size(); ++m) route.branches[m] = pipeline.modules[m].pres.empty();
  auto choice = choices_.begin();
  for (ModuleId m = 0; m < pipeline.modules.size(); ++m) {
    const Module& module = pipeline.modules[m];
    const bool chooses = module.branches != Branches::kAll;
    std::size_t subs = (std::size_t{1} << module.subs.size()) - 1;  // bit s stands for sub s
    if (chooses) {
      const std::size_t way = index / choice->stride % choice->ways;
      subs = choice->is_each ? way : std::size_t{1} << way;
      for (std::size_t i = 0; i < module.subs.size(); ++i) {
        const double probability = choice->probabilities[i];
        if ((subs >> i & 1) != 0)
          route.probability *= probability;
        else if (choice->is_each)
          route.probability *= 1 - probability;
      }
      ++choice;
    }
    if (!route.visits(m)) continue;
    for (std::size_t i = 0; i < module.subs.size(); ++i) {
      if ((subs >> i & 1) == 0) continue;
      route.taken[m] |= std::uint64_t{1} << module.subs[i];
      ++route.branches[module.subs[i]];
    }
  }
  return route;
}

std::vector<double> visit_probabilities(const Pipeline& pipeline) {
  const Routes routes(pipeline, 0);
  std::vector<double> result(pipeline.modules.size(), 0.0);
  for (ModuleId m = 0; m < result.size(); ++m) {
    bool always = true;
    for (std::size_t i = 0; i < routes.size(); ++i) {
      const bool visits = routes[i].visits(m);
      if (visits) result[m] += routes[i].probability;
      always = always && (visits || routes[i].probability <= 0);
    }
    if (always) result[m] = 1.0;
  }
  return result;
}

std::vector<double> longest_before(const Pipeline& pipeline, const Route& route,
                                   const std::vector<double>& cost) {
  std::vector<double> longest(pipeline.modules.size(), 0.0);
  for (ModuleId m = 0; m < longest.size(); ++m) {
    for (const ModuleId pre : pipeline.modules[m].pres) {
      if (route.takes(pre, m)) longest[m] = std::max(longest[m], cost[pre] + longest[pre]);
    }
  }
  return longest;
}

std::vector<double> longest_after(const Pipeline& pipeline, const Route& route,
                                  const std::vector<double>& cost) {
  std::vector<double> longest(pipeline.modules.size(), 0.0);
  for (auto m = static_cast<ModuleId>(longest.size()); m-- > 0;) {
    for (const ModuleId sub : pipeline.modules[m].subs) {
      if (route.takes(m, sub)) longest[m] = std::max(longest[m], cost[sub] + longest[sub]);
    }
  }
  return longest;
}

std::vector<double> least_before(const Pipeline& pipeline, const Routes& routes,
                                 const std::vector<double>& cost) {
  return least_over(pipeline, routes,
                    [&](const Route& route) { return longest_before(pipeline, route, cost); });
}

std::vector<double> least_after(const Pipeline& pipeline, const Routes& routes,
                                const std::vector<double>& cost) {
  return least_over(pipeline, routes,
                    [&](const Route& route) { return longest_after(pipeline, route, cost); });
}

}  // namespace harness

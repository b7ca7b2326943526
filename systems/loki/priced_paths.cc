#include "systems/loki/priced_paths.h"

#include <algorithm>
#include <limits>

namespace harness {
namespace {

constexpr int kHalvings = 50;
constexpr double kNothing = -std::numeric_limits<double>::infinity();

}  // namespace

PricedPaths::PricedPaths(const AllocationProblem& problem, const AugmentedGraph& graph)
    : problem_(problem), graph_(graph), worth_(graph.prefixes.size(), 0) {
  std::size_t places = 1;
  for (const GraphPrefix& prefix : graph.prefixes) {
    const GraphVertex& vertex = graph.vertices[static_cast<std::size_t>(prefix.vertex)];
    load_.push_back(problem.demand_rps * prefix.visits / vertex.rate_rps);
    first_.push_back(places);
    places += problem.fan_out[vertex.variant].size();
  }
  best_worth_.resize(places);
  best_load_.resize(places);
  choose(0);
}

std::size_t PricedPaths::place_of(const GraphPrefix& prefix) const {
  return prefix.parent < 0
             ? 0
             : first_[static_cast<std::size_t>(prefix.parent)] + static_cast<std::size_t>(prefix.sub);
}

// Chooses the best paths at that price and returns the workers that they need.
double PricedPaths::choose(double price) {
  price_ = price;
  std::fill(best_worth_.begin(), best_worth_.end(), kNothing);
  for (std::size_t p = graph_.prefixes.size(); p-- > 0;) {
    const GraphPrefix& prefix = graph_.prefixes[p];
    const std::size_t end = p + 1 < first_.size() ? first_[p + 1] : best_worth_.size();
    worth_[p] = (prefix.sink ? prefix.accuracy / graph_.sinks : 0) - price * load_[p];
    double load = load_[p];
    for (std::size_t place = first_[p]; place < end; ++place) {
      worth_[p] += best_worth_[place];
      load += best_load_[place];
    }
    const std::size_t place = place_of(prefix);
    if (worth_[p] <= best_worth_[place]) continue;
    best_worth_[place] = worth_[p];
    best_load_[place] = load;
  }
  return best_load_.front();
}

void PricedPaths::find_price() {
  double low = problem_.worker_weight;
  double high = 1;
  if (choose(low) <= problem_.workers) return;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (choose(middle) > problem_.workers ? low : high) = middle;
  }
  choose(high);
}

std::vector<double> PricedPaths::losses() const {
  std::vector<double> losses(graph_.vertices.size(), std::numeric_limits<double>::infinity());
  std::vector<double> lost(graph_.prefixes.size(), 0);
  for (std::size_t p = 0; p < graph_.prefixes.size(); ++p) {
    const GraphPrefix& prefix = graph_.prefixes[p];
    const double before = prefix.parent < 0 ? 0 : lost[static_cast<std::size_t>(prefix.parent)];
    lost[p] = before + best_worth_[place_of(prefix)] - worth_[p];
    double& least = losses[static_cast<std::size_t>(prefix.vertex)];
    least = std::min(least, load_[p] > 0 ? lost[p] / load_[p] : lost[p]);
  }
  return losses;
}

}  // namespace harness

#include "systems/inferline/exact_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <vector>

#include "harness/core/input_error.h"

namespace harness {
namespace {

constexpr double kSameCost = 1e-9;  // $/h

class ExactSearch {
 public:
  ExactSearch(const Pipeline& pipeline, const Hardware& hardware, Estimator& estimator,
              GreedyPlanner& planner, TimeNs slo_ns, int max_simulations)
      : hardware_(hardware),
        estimator_(estimator),
        planner_(planner),
        slo_ns_(slo_ns),
        max_simulations_(max_simulations),
        options_(pipeline.modules.size()),
        least_rest_(pipeline.modules.size() + 1, 0),
        known_trials_(pipeline.modules.size()),
        chosen_(pipeline.modules.size()) {
    constexpr std::size_t kMaxVisits = 1'000'000;  // of one module, in all results that are kept
    estimator.keep(std::clamp<std::size_t>(kMaxVisits / (estimator.most_visits() + 1), 2, 16));
    for (std::size_t kind = 0; kind < hardware.kinds(); ++kind) free_.push_back(hardware.count(kind));
    std::vector<TimeNs> least_ns;
    for (ModuleId m = 0; m < options_.size(); ++m) least_ns.push_back(add_options(m));
    least_after_ns_ = estimator.least_after(least_ns);
    for (std::size_t m = options_.size(); m-- > 0;)
      least_rest_[m] = least_rest_[m + 1] + (options_[m].empty() ? INFINITY : options_[m].front().cost);
  }

  ExactPlan run(const Configuration& known) {
    constexpr double kFirstBand = 1.0 / 64;  // share of the bound; each band is twice as wide as the last
    best_.bound = least_rest_.front();
    if (!known.empty() && hardware_.has_room_for(known)) {
      best_.configuration = known;
      best_cost_ = hardware_.cost(known);
    }
    double most = 0;  // cost of all devices that there are
    for (std::size_t kind = 0; kind < hardware_.kinds(); ++kind)
      most += hardware_.count(kind) * hardware_.price(kind);
    most = std::min(most, best_cost_);
    double excess = std::max(best_.bound * kFirstBand, kSameCost);
    while (!is_stopped_ && best_.bound < std::min(most, best_cost_) - kSameCost) {
      band_end_ = least_rest_.front() + excess;
      search(0, 0);
      if (!is_stopped_) best_.bound = std::min(band_end_, best_cost_);
      excess *= 2;
    }
    best_.is_proven = !is_stopped_;
    return best_;
  }

 private:
  struct Option {
    double cost = 0;
    ModelConfiguration of;
    std::size_t shape = 0;  ///< number of the combination of kind and batch

    bool operator<(const Option& other) const {
      return std::tie(cost, of, shape) < std::tie(other.cost, other.of, other.shape);
    }
  };

  /// Adds all choices with which the module keeps up, sorted by cost, then by kind and by batch. Returns the
  /// latency of the shortest batch.
  TimeNs add_options(ModuleId module) {
    TimeNs least_ns = kNever;
    std::size_t shape = 0;
    for (std::size_t kind = 0; kind < hardware_.kinds(); ++kind) {
      const Profile* const profile = hardware_.find_profile(module, kind);
      if (profile == nullptr) continue;
      least_ns = std::min(least_ns, least_latency_ns(*profile, profile->max_batch()));
      ModelConfiguration of{static_cast<std::uint16_t>(kind), 1, 1};
      const int devices = hardware_.devices_per_replica(module, kind);
      const int largest = planner_.largest_batch(module, of);
      for (; of.max_batch <= largest; of.max_batch *= 2, ++shape) {
        for (of.replicas = planner_.replicas_to_keep_up(module, of);
             of.replicas * devices <= hardware_.count(kind); ++of.replicas)
          options_[module].push_back({of.replicas * hardware_.replica_price(module, kind), of, shape});
      }
    }
    std::sort(options_[module].begin(), options_[module].end());
    shapes_ = std::max(shapes_, shape);
    return least_ns;
  }

  bool is_too_dear(double cost) const {
    return cost > band_end_ + kSameCost || cost > best_cost_ - kSameCost;
  }

  int devices_of(ModuleId module, const Option& option) const {
    return option.of.replicas * hardware_.devices_per_replica(module, option.of.device);
  }

  /// Chooses for this model and the models after it; `cost` is the cost of the models before it.
  void search(ModuleId module, double cost) {
    if (module == options_.size()) {
      if (!may_simulate() || !planner_.is_feasible(chosen_)) return;
      best_.configuration = chosen_;
      best_cost_ = cost;
      return;
    }
    std::vector<bool> has_enough(shapes_, false);  // more replicas would change nothing
    const Option* same = nullptr;                  // larger batches than this one's would change nothing
    for (const Option& option : options_[module]) {
      if (is_stopped_ || is_too_dear(cost + option.cost + least_rest_[module + 1])) return;
      if (has_enough[option.shape] || devices_of(module, option) > free_[option.of.device]) continue;
      if (same != nullptr && same->of.device == option.of.device && same->of.replicas == option.of.replicas)
        continue;
      chosen_[module] = option.of;
      const Estimator::Trial trial = tried(module);
      if (is_stopped_) return;
      if (trial.most_busy < option.of.replicas) has_enough[option.shape] = true;
      if (trial.most_waiting <= option.of.max_batch) same = &option;
      if (!trial.may_meet) continue;
      free_[option.of.device] -= devices_of(module, option);
      search(static_cast<ModuleId>(module + 1), cost + option.cost);
      free_[option.of.device] += devices_of(module, option);
    }
  }

  Estimator::Trial tried(ModuleId module) {
    Configuration key;
    for (ModuleId m = 0; m <= module; ++m) {
      if ((estimator_.before(module) >> m & 1u) != 0) key.push_back(chosen_[m]);
    }
    const auto found = known_trials_[module].find(key);
    if (found != known_trials_[module].end()) return found->second;
    if (!may_simulate()) return {};
    const Estimator::Trial trial = estimator_.try_module(chosen_, module, slo_ns_, least_after_ns_[module]);
    known_trials_[module].emplace(std::move(key), trial);
    return trial;
  }

  /// Counts one more simulation and returns true; at the limit stops the search and returns false.
  bool may_simulate() {
    is_stopped_ = best_.simulations == max_simulations_;
    if (!is_stopped_) ++best_.simulations;
    return !is_stopped_;
  }

  const Hardware& hardware_;
  Estimator& estimator_;
  GreedyPlanner& planner_;
  TimeNs slo_ns_;
  int max_simulations_;
  std::vector<std::vector<Option>> options_;  ///< choices of each module
  std::size_t shapes_ = 0;                    ///< number of shapes of the module that has most
  std::vector<double> least_rest_;            ///< least $/h of the modules from this index on
  std::vector<TimeNs> least_after_ns_;        ///< least time after each module, on any hardware
  /// Trials of each module, by the choices for the modules that lead to it.
  std::vector<std::map<Configuration, Estimator::Trial>> known_trials_;
  Configuration chosen_;
  std::vector<int> free_;  ///< devices left of each kind
  double band_end_ = 0;
  double best_cost_ = std::numeric_limits<double>::infinity();
  bool is_stopped_ = false;
  ExactPlan best_;
};

}  // namespace

ExactPlan exact_plan(const Pipeline& pipeline, const Hardware& hardware, Estimator& estimator,
                     GreedyPlanner& planner, TimeNs slo_ns, int max_simulations, const Configuration& known) {
  return ExactSearch(pipeline, hardware, estimator, planner, slo_ns, max_simulations).run(known);
}

Configuration optimal_plan(const Pipeline& pipeline, const Hardware& hardware, Estimator& estimator,
                           GreedyPlanner& planner, TimeNs slo_ns, int max_simulations) {
  const auto search_from = [&](const Configuration& known) {
    return exact_plan(pipeline, hardware, estimator, planner, slo_ns, max_simulations, known).configuration;
  };
  try {
    const Configuration greedy = planner.plan();
    const Configuration best = search_from(greedy);
    return best.empty() ? greedy : best;
  } catch (const InputError&) {
    const Configuration best = search_from({});
    if (best.empty()) throw;
    return best;
  }
}

}  // namespace harness

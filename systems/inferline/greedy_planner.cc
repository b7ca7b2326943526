#include "systems/inferline/greedy_planner.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/input_error.h"

namespace harness {
namespace {

std::string ms_text(TimeNs time_ns) { return text_of(std::round(ns_to_ms(time_ns) * 1000) / 1000) + " ms"; }

}  // namespace

Configuration fastest_configuration(const Pipeline& pipeline, const Hardware& hardware, TimeNs slo_ns,
                                    double sizing_factor) {
  Configuration fastest;
  for (ModuleId m = 0; m < pipeline.modules.size(); ++m) fastest.push_back({hardware.fastest(m), 1, 1});
  const TimeNs service_ns = hardware.service_ns(fastest);
  const double factor = std::max(1.0, sizing_factor);
  if (factor * static_cast<double>(service_ns) > static_cast<double>(slo_ns)) {
    throw InputError("the shortest service time of the pipeline is " + ms_text(service_ns) +
                     (factor > 1 ? " x sizing_factor " + text_of(factor) : "") + ", longer than the SLO of " +
                     ms_text(slo_ns));
  }
  return fastest;
}

GreedyPlanner::GreedyPlanner(const Pipeline& pipeline, const Hardware& hardware, Estimator& estimator,
                             TimeNs sample_ns, TimeNs slo_ns, const GreedyParams& params)
    : pipeline_(pipeline),
      hardware_(hardware),
      estimator_(estimator),
      slo_ns_(slo_ns),
      params_(params),
      rate_rps_(static_cast<double>(estimator.queries()) / ns_to_s(sample_ns)) {}

double GreedyPlanner::utilisation(const Configuration& configuration, ModuleId module) const {
  const ModelConfiguration& model = configuration[module];
  return rate_rps_ * estimator_.scale_factor(module) /
         (model.replicas * hardware_.replica_rps(module, model));
}

int GreedyPlanner::replicas_to_keep_up(ModuleId module, const ModelConfiguration& of) const {
  return ceil_of(rate_rps_ * estimator_.scale_factor(module) /
                 (hardware_.replica_rps(module, of) * params_.max_utilisation));
}

double GreedyPlanner::least_cost(ModuleId module, std::uint16_t device) const {
  double best_rps = 0;
  const Profile& profile = *hardware_.find_profile(module, device);
  for (int batch = 1; batch <= profile.max_batch(); batch *= 2)
    best_rps = std::max(best_rps, worker_rps(profile, batch));
  const double busy = rate_rps_ * estimator_.scale_factor(module) / best_rps;
  return ceil_of(busy / params_.max_utilisation) * hardware_.replica_price(module, device);
}

int GreedyPlanner::largest_batch(ModuleId module, const ModelConfiguration& of) const {
  return std::min(Estimator::kMaxBatch, hardware_.profile(module, of).max_batch());
}

bool GreedyPlanner::is_feasible(const Configuration& configuration) {
  constexpr double kRounding = 1e-9;
  for (ModuleId m = 0; m < configuration.size(); ++m) {
    if (utilisation(configuration, m) > params_.max_utilisation + kRounding) return false;
  }
  if (params_.sizing_factor * static_cast<double>(hardware_.service_ns(configuration)) >
      static_cast<double>(slo_ns_))
    return false;
  const auto known = known_.find(configuration);
  if (known != known_.end()) return known->second;
  ++simulations_;
  const bool meets = estimator_.meets(configuration, slo_ns_);
  known_.emplace(configuration, meets);
  return meets;
}

Configuration GreedyPlanner::initial() {
  Configuration configuration = fastest_configuration(pipeline_, hardware_, slo_ns_, params_.sizing_factor);
  // While a model does not keep up nothing is feasible, and the bottleneck is one of these.
  for (ModuleId m = 0; m < configuration.size(); ++m)
    configuration[m].replicas = replicas_to_keep_up(m, configuration[m]);
  while (!is_feasible(configuration)) {
    ModuleId bottleneck = 0;
    for (ModuleId m = 1; m < configuration.size(); ++m) {
      if (utilisation(configuration, m) > utilisation(configuration, bottleneck)) bottleneck = m;
    }
    ++configuration[bottleneck].replicas;
  }
  return configuration;
}

int GreedyPlanner::fewest_replicas(Configuration configuration, ModuleId module, int most) {
  int infeasible = replicas_to_keep_up(module, configuration[module]) - 1;
  while (most - infeasible > 1) {
    const int middle = infeasible + (most - infeasible) / 2;
    configuration[module].replicas = middle;
    (is_feasible(configuration) ? most : infeasible) = middle;
  }
  return most;
}

Configuration GreedyPlanner::downgraded(const Configuration& from, ModuleId module, double at_least) {
  const std::uint16_t device = hardware_.next_cheaper(module, from[module].device);
  if (device == from[module].device) return {};
  const double cost = from[module].replicas * hardware_.replica_price(module, from[module].device);
  if (cost - least_cost(module, device) <= at_least) return {};
  Configuration to = from;
  ModelConfiguration& model = to[module];
  model = {device, 1, hardware_.free_for(module, device, from)};
  // The initialization for this model alone (R: by bisection), then its own cost minimization.
  if (model.replicas < 1) return {};
  if (is_feasible(to)) {
    model.replicas = fewest_replicas(to, module, model.replicas);
  } else {
    // More replicas can send larger bursts to the models after them, so fewer, which save something, may do.
    const int most = std::min(model.replicas,
                              static_cast<int>((cost - at_least) / hardware_.replica_price(module, device)));
    model.replicas = replicas_to_keep_up(module, model);
    while (model.replicas <= most && !is_feasible(to)) ++model.replicas;
    if (model.replicas > most) return {};
  }
  while (model.max_batch * 2 <= largest_batch(module, model)) {
    Configuration larger = to;
    larger[module].max_batch *= 2;
    if (!is_feasible(larger)) break;
    larger[module].replicas = fewest_replicas(larger, module, model.replicas);
    to = larger;
  }
  return cost - model.replicas * hardware_.replica_price(module, device) > at_least ? to : Configuration{};
}

GreedyPlanner::Step GreedyPlanner::cheapest_step(const Configuration& from) {
  Step best;
  std::vector<ModuleId> by_price;
  for (ModuleId m = 0; m < from.size(); ++m) by_price.push_back(m);
  std::ranges::stable_sort(by_price, std::ranges::greater(),
                           [&](ModuleId m) { return hardware_.replica_price(m, from[m].device); });
  for (const ModuleId m : by_price) {
    const double saving = hardware_.replica_price(m, from[m].device);
    if (from[m].replicas < 2 || saving <= best.saving) continue;
    Configuration fewer = from;
    --fewer[m].replicas;
    if (is_feasible(fewer)) best = {saving, std::move(fewer)};
  }
  for (ModuleId m = 0; m < from.size(); ++m) {
    Configuration down = downgraded(from, m, best.saving);
    if (!down.empty()) best = {hardware_.cost(from) - hardware_.cost(down), std::move(down)};
  }
  return best;
}

Configuration GreedyPlanner::with_larger_batch(const Configuration& from) {
  std::vector<ModuleId> order;
  std::vector<double> saving(from.size(), 0);
  for (ModuleId m = 0; m < from.size(); ++m) {
    if (from[m].max_batch * 2 > largest_batch(m, from[m])) continue;
    ModelConfiguration larger = from[m];
    larger.max_batch *= 2;
    saving[m] = from[m].replicas * hardware_.replica_price(m, from[m].device) *
                (1 - hardware_.replica_rps(m, from[m]) / hardware_.replica_rps(m, larger));
    if (saving[m] > 0 || params_.batch_choice == GrownBatch::kFirst) order.push_back(m);
  }
  if (params_.batch_choice == GrownBatch::kSaving)
    std::ranges::stable_sort(order, std::ranges::greater(), [&](ModuleId m) { return saving[m]; });
  for (const ModuleId m : order) {
    Configuration larger = from;
    larger[m].max_batch *= 2;
    if (is_feasible(larger)) return larger;
  }
  return {};
}

Configuration GreedyPlanner::plan() {
  Configuration configuration = initial();
  for (;;) {
    Step step = cheapest_step(configuration);
    if (step.to.empty()) step.to = with_larger_batch(configuration);
    if (step.to.empty()) return configuration;
    configuration = std::move(step.to);
  }
}

}  // namespace harness

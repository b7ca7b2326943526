#include "harness/serving/sizing_planner.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "harness/core/check.h"
#include "harness/core/input_error.h"
#include "harness/core/routes.h"
#include "harness/serving/common_plans.h"
#include "harness/serving/group_capacity.h"
#include "harness/serving/need_window.h"
#include "harness/serving/placed_planner.h"
#include "harness/serving/planner_params.h"

namespace harness {
namespace {

double gpu_ns_per_request(const Profile& profile, int batch) {
  return static_cast<double>(profile.latency(batch)) / batch;
}

double longest_path(const Pipeline& pipeline, ModuleId entry, const std::vector<double>& cost) {
  return cost[entry] + longest_after(pipeline, cost)[entry];
}

std::vector<double> latencies(const ServingContext& context, const std::vector<int>& batches) {
  std::vector<double> result;
  for (std::size_t k = 0; k < batches.size(); ++k) {
    result.push_back(static_cast<double>(context.profiles[k]->latency(batches[k])));
  }
  return result;
}

/// The length of the longest path from the entry as a function of one module's latency. Latencies are whole
/// nanoseconds, so sums are exact.
class PathThrough {
 public:
  PathThrough(const Pipeline& pipeline, ModuleId entry, std::vector<double> cost, std::size_t module) {
    constexpr double kLongerThanAll = 1e15;  // ns: beyond every other latency, and sums stay whole
    cost[module] = 0;
    others_ = longest_path(pipeline, entry, cost);
    cost[module] = kLongerThanAll;
    rest_ = longest_path(pipeline, entry, cost) - kLongerThanAll;
  }
  double longest(double latency) const { return std::max(others_, rest_ + latency); }

 private:
  double others_ = 0;
  /// Rest of the longest path through the module; far below 0 if no path leads through it.
  double rest_ = 0;
};

/// A larger batch for one module.
struct Step {
  std::size_t module = 0;
  int batch = 0;
  double saved = 0;  ///< expected GPU time saved per request, ns; 0: no step
  double added = 0;  ///< latency added to the longest path, ns

  bool better_than(const Step& other) const {
    const bool free = added <= 0;
    const bool other_free = other.added <= 0;
    if (free != other_free) return free;
    return free ? saved > other.saved : saved * other.added > other.saved * added;
  }
};

/// Returns the number of visits to each module for which the planner provides, per request.
std::vector<double> planned_visits(const ServingContext& context, const PlannerParams& params) {
  if (params.branch_shares == BranchShares::kKnown) return visit_probabilities(*context.pipeline);
  return std::vector<double>(context.pipeline->modules.size(), 1.0);
}

/// Returns the visits/s at each module by the expected rates of the streams.
std::vector<double> rates_of_streams(const ServingContext& context, const std::vector<double>& visits) {
  std::vector<double> rps(visits.size(), 0.0);
  const std::vector<ModuleId> entries = entries_of(*context.pipeline);
  for (const Stream& stream : context.streams) {
    for (std::size_t m = 0; m < rps.size(); ++m) {
      if (entries[m] == stream.entry) rps[m] += stream.rate_rps * visits[m];
    }
  }
  return rps;
}

/// Returns the best single step that keeps factor x longest path within the SLO. A step may skip sizes,
/// because profiles have plateaus. `visits` are the planned_visits.
Step best_step(const ServingContext& context, const PlannerParams& params, const std::vector<double>& visits,
               const std::vector<bool>& fixed, const std::vector<int>& batches) {
  const std::vector<double> cost = latencies(context, batches);
  const std::vector<double> after = longest_after(*context.pipeline, cost);
  const std::vector<ModuleId> entries = entries_of(*context.pipeline);
  Step best;
  for (std::size_t k = 0; k < batches.size(); ++k) {
    if (fixed[k]) continue;
    const Profile& profile = *context.profiles[k];
    const ModuleId entry = entries[k];
    const double now = cost[entry] + after[entry];
    const auto slo_ns = static_cast<double>(context.slo_of_entry(entry));
    const PathThrough through(*context.pipeline, entry, cost, k);
    for (int batch = batches[k] + 1; batch <= std::min(params.max_batch, profile.max_batch()); ++batch) {
      const double saved =
          visits[k] * (gpu_ns_per_request(profile, batches[k]) - gpu_ns_per_request(profile, batch));
      if (saved <= 0) continue;
      const double path = through.longest(static_cast<double>(profile.latency(batch)));
      if (params.sizing_factor * path > slo_ns) continue;
      const Step step{k, batch, saved, path - now};
      if (best.saved <= 0 || step.better_than(best)) best = step;
    }
  }
  return best;
}

std::string in_ms(double ns) { return text_of(ParamValue(std::round(ns / 1e3) / 1e3)) + " ms"; }

void check_overrides(const ServingContext& context, const std::vector<ModuleOverride>& overrides) {
  const std::size_t modules = context.pipeline->modules.size();
  HARNESS_CHECK(overrides.empty() || overrides.size() == modules,
                "overrides are neither none nor one per module");
  for (std::size_t k = 0; k < overrides.size(); ++k) {
    const std::string& name = context.pipeline->modules[k].name;
    const int most = context.profiles[k]->max_batch();
    if (overrides[k].batch < 0 || overrides[k].batch > most) {
      throw input_error({"", 0, "planner: batch of module '" + name + "'"},
                        std::to_string(overrides[k].batch),
                        "1 to " + std::to_string(most) + ", the largest batch in the profile of '" +
                            context.profiles[k]->model + "' (0: the planner chooses)");
    }
    if (overrides[k].workers < 0) {
      throw input_error({"", 0, "planner: workers of module '" + name + "'"},
                        std::to_string(overrides[k].workers), "1 or more (0: the planner chooses)");
    }
    if (overrides[k].cores > 0 && context.profiles[k]->cpu_ns == 0) {
      throw input_error({"", 0, "planner: cores of module '" + name + "'"},
                        std::to_string(overrides[k].cores),
                        "0, as the profile of '" + context.profiles[k]->model + "' has no cpu_ms");
    }
  }
}

void check_slo(const ServingContext& context, const PlannerParams& params, const std::vector<int>& batches) {
  const std::vector<double> cost = latencies(context, batches);
  for (const ModuleId entry : entries_in(*context.pipeline)) {
    const double path = longest_path(*context.pipeline, entry, cost);
    const auto slo_ns = static_cast<double>(context.slo_of_entry(entry));
    if (params.sizing_factor * path <= slo_ns) continue;
    const std::string from =
        context.pipeline->independent ? " from " + context.pipeline->modules[entry].name : "";
    throw input_error({"", 0, "planner"},
                      "sizing_factor " + text_of(ParamValue(params.sizing_factor)) + " x " + in_ms(path) +
                          " on the longest path of '" + context.pipeline->name + "'" + from +
                          " at the smallest batches",
                      "at most the SLO, " + in_ms(slo_ns));
  }
}

/// The facts about a module by which workers are given out.
struct Demand {
  int fixed = 0;          ///< workers fixed by the experiment, or 0
  int wanted = 0;         ///< largest number of workers that it should get
  int gpus = 1;           ///< number of GPUs that each worker takes
  double visits = 1;      ///< visits per request, by planned_visits
  double worker_rps = 1;  ///< throughput of one worker
  double weight_rps = 1;  ///< visits/s that it has to serve; modules are compared by capacity / weight

  int least() const { return fixed > 0 ? fixed : 1; }
  double share(int workers) const { return workers * worker_rps / weight_rps; }
};

/// Gives worker after worker to the module that is slowest for its rate, until all have what they want or no
/// GPUs are left for more.
std::vector<int> give_out(const std::vector<Demand>& demands, int cluster) {
  std::vector<int> workers;
  int left = cluster;
  for (const Demand& demand : demands) {
    workers.push_back(demand.least());
    left -= demand.least() * demand.gpus;
  }
  while (left > 0) {
    std::size_t slowest = demands.size();
    for (std::size_t k = 0; k < demands.size(); ++k) {
      if (demands[k].fixed > 0 || workers[k] >= demands[k].wanted || demands[k].gpus > left) continue;
      if (slowest == demands.size() ||
          demands[k].share(workers[k]) < demands[slowest].share(workers[slowest])) {
        slowest = k;
      }
    }
    if (slowest == demands.size()) break;
    ++workers[slowest];
    left -= demands[slowest].gpus;
  }
  return workers;
}

class SizingPlanner final : public Planner {
 public:
  SizingPlanner(const ServingContext& context, const PlannerParams& params,
                const std::vector<ModuleOverride>& overrides)
      : context_(context),
        params_(params),
        entries_(entries_of(*context.pipeline)),
        cores_(context.pipeline->modules.size(), 0),
        needs_(context.pipeline->modules.size()) {
    for (std::size_t k = 0; k < overrides.size(); ++k) cores_[k] = overrides[k].cores;
    batches_ = size_batches(context, params, overrides);
    const std::vector<double> visits = planned_visits(context, params);
    const std::vector<double> of_streams = rates_of_streams(context, visits);
    int least = 0;
    for (std::size_t k = 0; k < batches_.size(); ++k) {
      Demand demand;
      demand.fixed = overrides.empty() ? 0 : overrides[k].workers;
      demand.gpus = context.profiles[k]->gpus;
      demand.visits = visits[k];
      // Balanced workers: the weight is a request's visits or, if there are several streams, what they send.
      demand.weight_rps = context.streams.size() > 1 ? std::max(of_streams[k], 1e-9) : visits[k];
      if (demand.fixed == 0) demand.fixed = fixed_workers(*context.profiles[k]);
      demand.worker_rps = worker_rps(*context.profiles[k], batches_[k]);
      least += demand.least() * demand.gpus;
      demands_.push_back(demand);
    }
    if (least > context.workers) {
      throw input_error({"", 0, "planner: workers"}, std::to_string(context.workers) + " in the cluster",
                        std::to_string(least) + " or more, for " + std::to_string(batches_.size()) +
                            " modules of '" + context.pipeline->name + "'");
    }
    if (params.autoscale && params.workers != WorkerRule::kRate) {
      throw input_error({"", 0, "planner.autoscale"}, "true with workers = balanced",
                        "true with workers = rate, or false");
    }
  }

  Plan plan(TimeNs now, const LoadStatistics& load, const Plan&) override {
    if (params_.workers == WorkerRule::kRate) {
      set_needs(now, load);
    } else {
      for (Demand& demand : demands_) demand.wanted = context_.workers;
    }
    const std::vector<int> workers = give_out(demands_, context_.workers);
    std::vector<TimeNs> exec_ns;
    for (std::size_t k = 0; k < batches_.size(); ++k)
      exec_ns.push_back(latency_with_cores(*context_.profiles[k], batches_[k], cores_[k]));
    const std::vector<TimeNs> budgets = proportional_budgets(context_, exec_ns);
    Plan plan;
    for (std::size_t k = 0; k < batches_.size(); ++k)
      plan.modules.push_back({workers[k], batches_[k], exec_ns[k], budgets[k], 0, cores_[k]});
    return plan;
  }

 private:
  void set_needs(TimeNs now, const LoadStatistics& load) {
    for (std::size_t k = 0; k < demands_.size(); ++k) {
      // Visits dropped upstream never reach a later module; the offered rate keeps it provisioned for them.
      const double seen_rps = load.module_rps.empty() ? 0.0 : load.module_rps[k];
      // With several streams, all that is sent to an entry arrives there.
      double sent_rps = load.offered_rps * demands_[k].visits;
      if (context_.streams.size() > 1)
        sent_rps = load.module_rps.empty() ? 0.0 : load.module_rps[entries_[k]] * demands_[k].visits;
      const double rate = std::max(sent_rps, seen_rps) * params_.headroom;
      // 1e-9: a rate that is meant to be an exact multiple must not cost one more worker by rounding.
      const double exact = std::ceil(rate / demands_[k].worker_rps - 1e-9);
      const int need = static_cast<int>(std::clamp(exact, 1.0, static_cast<double>(context_.workers)));
      demands_[k].wanted = needs_[k].largest(now, need, s_to_ns(params_.scale_down_s));
      demands_[k].weight_rps = std::max(rate, 1e-9);
    }
  }

  const ServingContext& context_;
  PlannerParams params_;
  std::vector<ModuleId> entries_;  ///< entry from which each module's requests come
  std::vector<int> batches_;
  std::vector<Demand> demands_;
  std::vector<int> cores_;  ///< cores of each module's workers; 0: as its profile was measured
  std::vector<NeedWindow> needs_;
};

}  // namespace

std::vector<int> size_batches(const ServingContext& context, const PlannerParams& params,
                              const std::vector<ModuleOverride>& overrides) {
  check_overrides(context, overrides);
  const std::size_t modules = context.pipeline->modules.size();
  std::vector<int> batches(modules, 1);
  std::vector<bool> fixed(modules, false);
  for (std::size_t k = 0; k < overrides.size(); ++k) {
    if (overrides[k].batch == 0) continue;
    batches[k] = overrides[k].batch;
    fixed[k] = true;
  }
  if (std::all_of(fixed.begin(), fixed.end(), [](bool is) { return is; })) return batches;
  check_slo(context, params, batches);
  const std::vector<double> visits = planned_visits(context, params);
  for (;;) {
    const Step step = best_step(context, params, visits, fixed, batches);
    if (step.saved <= 0) return batches;
    batches[step.module] = step.batch;
  }
}

namespace {

/// Returns the visits to each module of a request whose tasks are done by the most accurate variants, which
/// come first in their tasks.
std::vector<double> most_accurate_visits(const Pipeline& pipeline) {
  std::vector<double> visits(pipeline.modules.size(), 0.0);
  visits.front() = 1;
  for (const Task& task : pipeline.tasks) {
    const Module& first = pipeline.modules[task.first];
    for (std::size_t s = 0; s < first.subs.size(); ++s)
      visits[first.subs[s]] = visits[task.first] * first.fan_out[s];
  }
  return visits;
}

}  // namespace

std::vector<double> stream_rps(const ServingContext& context) {
  return rates_of_streams(context, visit_probabilities(*context.pipeline));
}

double capacity_rps(const ServingContext& context, const Plan& plan) {
  if (context.pipeline->has_tasks()) return std::numeric_limits<double>::quiet_NaN();
  std::vector<double> visits = visit_probabilities(*context.pipeline);
  if (context.streams.size() > 1) {
    visits = stream_rps(context);
    double sent_rps = 0;
    for (const Stream& stream : context.streams) sent_rps += stream.rate_rps;
    for (double& share : visits) share /= sent_rps;
  }
  std::vector<double> rps;  // with groups: the rate of one worker
  for (ModuleId k = 0; k < plan.modules.size(); ++k) {
    const int workers = plan.groups.empty() ? plan.modules[k].workers : 1;
    rps.push_back(workers *
                  worker_rps(context.profile(k, plan.modules[k].device), plan.modules[k].max_batch) /
                  visits[k]);
  }
  if (!plan.groups.empty()) return group_capacity_rps(plan.groups, rps);
  return *std::min_element(rps.begin(), rps.end());
}

double best_capacity_rps(const ServingContext& context) {
  const Pipeline& pipeline = *context.pipeline;
  std::vector<double> rps;
  double offered_rps = 1;
  if (pipeline.has_tasks()) {
    rps = most_accurate_visits(pipeline);
  } else {
    rps = stream_rps(context);
    offered_rps = 0;
    for (const Stream& stream : context.streams) offered_rps += stream.rate_rps;
  }
  double workers = 0;
  for (std::size_t m = 0; m < rps.size(); ++m)
    workers += context.profiles[m]->gpus * rps[m] /
               best_throughput_rps(*context.profiles[m], context.profiles[m]->max_batch());
  return offered_rps * context.workers / workers;
}

std::unique_ptr<Planner> make_sizing_planner(const ServingContext& context, const PlannerParams& params,
                                             const std::vector<ModuleOverride>& overrides) {
  if (!params.placement.empty()) return make_placed_planner(context, params, overrides);
  return std::make_unique<SizingPlanner>(context, params, overrides);
}

}  // namespace harness

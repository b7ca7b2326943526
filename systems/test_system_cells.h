// For tests: random cells of the kinds for which systems are made: streams of several models for SHEPHERD,
// Clockwork, Symphony and Nexus; task trees for Loki and its baselines.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/sim/test_groups.h"
#include "harness/sim/test_tasks.h"
#include "systems/all_systems.h"

namespace harness::testing {

inline std::string one_of(RandomStream& random, std::initializer_list<const char*> words) {
  return words.begin()[random.below(words.size())];
}

/// Makes a source of single requests, in order of time, whose `module` names their model and stream.
template <class Request>
std::unique_ptr<ArrivalSource> arrivals_of_models(const std::vector<Request>& requests) {
  std::vector<std::pair<TimeNs, StreamId>> sent;
  for (const Request& request : requests) sent.emplace_back(request.arrival_ns, request.module);
  return arrivals_of(std::move(sent), requests.back().arrival_ns + 1);
}

inline RunSpec shepherd_cell(RandomStream& random) {
  RunSpec spec = random_independent_cell(random);
  spec.system = find_system("shepherd")->make();
  set_param(spec, "lambda", random.below(2) == 0 ? 1.0 : 1.1 + 3 * random.uniform());
  set_param(spec, "preempt", random.below(4) > 0);
  set_param(spec, "max_batch", static_cast<double>(1 + random.below(32)));
  return spec;
}

inline RunSpec clockwork_cell(RandomStream& random) {
  RunSpec spec = random_independent_cell(random);
  spec.system = find_system("clockwork")->make();
  set_param(spec, "margin_ms", static_cast<double>(random.below(6)));
  set_param(spec, "schedule_ahead_ms", static_cast<double>(random.below(3) * 10));
  set_param(spec, "max_batch", static_cast<double>(1 + random.below(32)));
  return spec;
}

inline RunSpec symphony_cell(RandomStream& random) {
  RunSpec spec = random_independent_cell(random);
  spec.system = find_system("symphony")->make();
  set_param(spec, "schedulable", one_of(random, {"frontrun", "eager", "latest"}));
  set_param(spec, "drop", one_of(random, {"window", "timeout"}));
  set_param(spec, "gpu", one_of(random, {"idle_longest", "lowest_number"}));
  return spec;
}

/// Returns a cell with at least two models, planned for random rates.
inline RunSpec nexus_cell(RandomStream& random) {
  RunSpec spec = random_independent_cell(random);
  const std::size_t models = spec.pipeline.modules.size();
  if (models < 2) return nexus_cell(random);
  spec.system = find_system("nexus")->make();
  set_param(spec, "turns", one_of(random, {"next", "cycle"}));
  set_param(spec, "spare", one_of(random, {"unused", "scaled"}));
  set_param(spec, "order", one_of(random, {"arrival", "deadline"}));
  set_param(spec, "estimate", one_of(random, {"planned", "actual"}));
  set_param(spec, "max_batch", static_cast<double>(1 + random.below(32)));
  std::vector<double> peaks;
  for (std::size_t m = 0; m < models && random.below(2) == 0; ++m)
    peaks.push_back(random.below(8) == 0 ? 0 : 500 * random.uniform());
  if (peaks.size() == models) spec.peak_rps = {peaks};
  return spec;
}

/// Returns a cell for SHEPHERD in several groups of at most a few GPUs, as HERD plans them.
inline RunSpec herd_cell(RandomStream& random) {
  const std::size_t models = 1 + random.below(5);
  RunSpec spec = independent_cell(random_profiles(random, models), {}, 0, find_system("shepherd")->make());
  for (Profile& profile : spec.profiles) {
    profile.memory_mb = static_cast<double>(random.below(9'000));
    profile.exit_points = static_cast<int>(random.below(60));
  }
  spec.workers = 6 + static_cast<int>(random.below(10));
  spec.seed = random.bits();
  for (std::uint64_t i = models + random.below(40); i > 0; --i) {
    const auto entry = static_cast<ModuleId>(i <= models ? i - 1 : random.below(models));
    spec.streams.push_back({entry, ms_to_ns(60 + 300 * random.uniform()), random.uniform()});
    spec.slo_ns = std::max(spec.slo_ns, spec.streams.back().slo_ns);
  }
  set_param(spec, "herd_group_worker_limit", static_cast<double>(1 + random.below(5)));
  add_requests_of_streams(spec, bursty_times(random, 1500, s_to_ns(2)), s_to_ns(2), random);
  if (initial_plan(spec, 1000).groups.size() < 2) throw InputError("one group");
  return spec;
}

inline RunSpec faulty_herd_cell(RandomStream& random) {
  RunSpec spec = herd_cell(random);
  spec.faults = random_faults(random, spec.workers);
  return spec;
}

/// Returns a tree without faults for Loki or one of its baselines, which plan every second, or for the system
/// that plans as it is told ("told"). Throws InputError if there is no plan for it.
inline RunSpec tree_cell_of(const std::string& system, RandomStream& random, const TreeKind& kind = {}) {
  RunSpec spec = random_tree_cell(random, kind);
  spec.faults.clear();
  if (random.below(3) == 0) spec.world.cold_start_ms = 0;
  if (system == "told") return spec;
  spec.system = find_system(system)->make();
  spec.workers += static_cast<int>(spec.pipeline.tasks.size());
  set_param(spec, "period_s", 0.8);
  set_param(spec, "tables_period_s", 0.4);
  set_param(spec, "demand_alpha", 0.9);  // plans follow every burst
  set_param(spec, "deadline", one_of(random, {"request", "task"}));
  set_param(spec, "expected_batch", one_of(random, {"planned", "queued"}));
  const bool is_loki = system == "loki";
  const std::string rule = one_of(random, {"none", "last_task", "per_task", is_loki ? "reroute" : "none"});
  set_param(spec, "early_dropping", kind.refuses ? rule : "none");
  if (is_loki) {
    set_param(spec, "overflow",
              one_of(random, {"equal", "capacity", "last", kind.refuses ? "drop" : "last"}));
    set_param(spec, "ties", one_of(random, {"fill", "spread"}));
    set_param(spec, "drop_at", one_of(random, {"end", "start"}));
    set_param(spec, "reroute_limit", one_of(random, {"execution", "budget"}));
  }
  initial_plan(spec, 100);
  return spec;
}

/// Returns the same, with faults in every third cell.
inline RunSpec faulty_tree_cell_of(const std::string& system, RandomStream& random) {
  RunSpec spec = tree_cell_of(system, random);
  if (random.below(3) == 0) spec.faults = random_faults(random, spec.workers);
  return spec;
}

}  // namespace harness::testing

// Clusters of servers for tests: plans by a script, and a placement that keeps the most recently used
// modules.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "harness/engine/test_system.h"
#include "harness/sim/test_world.h"

namespace harness::testing {

/// The numbers of workers, and perhaps of cores, by module, from a time on.
struct ServerStep {
  TimeNs at_ns = 0;
  std::vector<int> workers;
  std::vector<int> cores = {};
};

/// Plans batches of one with the workers of a script.
class ServerPlanner final : public Planner {
 public:
  ServerPlanner(const ServingContext& context, std::vector<ServerStep> steps)
      : context_(context), steps_(std::move(steps)) {}
  Plan plan(TimeNs now, const LoadStatistics&, const Plan&) override {
    const ServerStep* step = &steps_.front();
    for (const ServerStep& each : steps_) {
      if (each.at_ns <= now) step = &each;
    }
    Plan plan;
    for (ModuleId m = 0; m < step->workers.size(); ++m) {
      ModulePlan& module = plan.modules.emplace_back();
      module.workers = step->workers[m];
      module.exec_ns = context_.profiles[m]->latency(1);
      if (!step->cores.empty()) module.cores = step->cores[m];
    }
    return plan;
  }

 private:
  const ServingContext& context_;
  std::vector<ServerStep> steps_;
};

/// Keeps the parameters of modules in a server's memory. If more than 85 % of the memory are in use, or if
/// room is needed, the least recently used module goes. An instance starts on the server that `prefers`
/// returns, if it has room there, else on the server with the lowest number that has room.
class LruPlacement final : public Placement {
 public:
  LruPlacement(const ServingContext& context, std::function<std::uint32_t(TimeNs)> prefers)
      : context_(context), prefers_(std::move(prefers)) {}
  std::uint32_t place(TimeNs now, ModuleId module, std::span<const ServerView> servers) override {
    const auto has_room = [&](std::uint32_t server) {
      const ServerView& view = servers[server];
      double mb = view.free_memory_mb;
      for (ModuleId m = 0; m < view.modules.size(); ++m) mb += can_go(view, m) ? size_mb(m) : 0.0;
      return view.free_gpus >= context_.profiles[module]->gpus && mb >= size_mb(module) &&
             view.free_cores >= context_.profiles[module]->cores;
    };
    if (prefers_ && has_room(prefers_(now))) return prefers_(now);
    for (std::uint32_t server = 0; server < servers.size(); ++server) {
      if (has_room(server)) return server;
    }
    return kNoServer;
  }
  void on_started(TimeNs, std::uint32_t, ModuleId module, const ServerView& view,
                  MemoryDecisions& out) override {
    out.keep(module);
    free_up(view, 0.15 * context_.servers.memory_mb - view.free_memory_mb, out);
  }
  void make_room(TimeNs, std::uint32_t, ModuleId, double missing_mb, const ServerView& view,
                 MemoryDecisions& out) override {
    free_up(view, missing_mb, out);
  }

 private:
  double size_mb(ModuleId module) const { return context_.profiles[module]->memory_mb; }
  static bool can_go(const ServerView& view, ModuleId m) {
    return view.modules[m].is_kept && view.modules[m].instances == 0;
  }
  void free_up(const ServerView& view, double mb, MemoryDecisions& out) const {
    std::vector<bool> gone(view.modules.size(), false);
    while (mb > 1e-9) {
      int oldest = -1;
      for (ModuleId m = 0; m < view.modules.size(); ++m) {
        if (gone[m] || !can_go(view, m)) continue;
        if (oldest < 0 || view.modules[m].used_ns < view.modules[static_cast<ModuleId>(oldest)].used_ns)
          oldest = m;
      }
      if (oldest < 0) return;
      const auto module = static_cast<ModuleId>(oldest);
      gone[module] = true;
      out.drop(module);
      mb -= size_mb(module);
    }
  }

  const ServingContext& context_;
  std::function<std::uint32_t(TimeNs)> prefers_;
};

class ServerSystem final : public System {
 public:
  ServerSystem(std::vector<ServerStep> steps, bool has_placement,
               std::function<std::uint32_t(TimeNs)> prefers = nullptr, bool scales_to_zero = false)
      : steps_(std::move(steps)),
        has_placement_(has_placement),
        prefers_(std::move(prefers)),
        scales_to_zero_(scales_to_zero) {}
  void list(ParamList&) override {}
  TimeNs replan_period_ns(const ServingContext&) const override { return kNsPerS; }
  SystemTraits traits() const override { return {.scales_to_zero = scales_to_zero_}; }
  std::unique_ptr<Planner> make_planner(const ServingContext& context) const override {
    return std::make_unique<ServerPlanner>(context, steps_);
  }
  std::unique_ptr<Placement> make_placement(const ServingContext& context) override {
    if (!has_placement_) return nullptr;
    return std::make_unique<LruPlacement>(context, prefers_);
  }
  std::unique_ptr<Scheduler> make_scheduler(const ServingContext& context, QueueId queue,
                                            GroupId group) override {
    return fifo_.make_scheduler(context, queue, group);
  }

 private:
  std::vector<ServerStep> steps_;
  bool has_placement_;
  std::function<std::uint32_t(TimeNs)> prefers_;
  bool scales_to_zero_;
  ScriptedSystem fifo_{{}};
};

/// Returns a cell on servers: modules of 10 ms and `sizes_mb`, a request in the middle of every second for 40
/// s, and 200 ms for a container's start.
inline RunSpec server_spec(const std::vector<double>& sizes_mb, ServerShape servers, int count,
                           std::vector<ServerStep> steps, bool has_placement = true,
                           std::function<std::uint32_t(TimeNs)> prefers = nullptr) {
  std::vector<TimeNs> times;
  for (int i = 0; i < 40; ++i) times.push_back(i * kNsPerS + kNsPerS / 2);
  std::vector<Profile> profiles;
  for (const double mb : sizes_mb) {
    profiles.push_back(linear_profile("m", 0, 10, 1));
    profiles.back().memory_mb = mb;
  }
  RunSpec spec = make_spec("naive", chain(sizes_mb.size()), std::move(profiles),
                           std::vector<ModuleOverride>(sizes_mb.size(), {1, 1}), kNsPerS, std::move(times),
                           40 * kNsPerS);
  spec.servers = servers;
  spec.workers = count * servers.gpus;
  spec.world.cold_start = ColdStart::kCached;
  spec.world.cold_start_ms = 200;
  spec.system = std::make_unique<ServerSystem>(std::move(steps), has_placement, std::move(prefers));
  return spec;
}

struct ServerCellKind {
  /// True for a system that scales to zero. There is room for an instance of each module, and each has one in
  /// the end.
  bool scales_to_zero = false;
  /// True for a cell with room for all and plans that either add or remove workers, so that nothing depends
  /// on the order of events in one moment.
  bool calm = false;
};

/// Returns random steps at different whole seconds of 40 s.
inline std::vector<ServerStep> random_server_steps(RandomStream& random, std::size_t modules,
                                                   const ServerCellKind& kind) {
  std::vector<ServerStep> steps;
  constexpr TimeNs kLastNs = 39 * kNsPerS;
  const TimeNs end_ns = kind.scales_to_zero ? kLastNs : 40 * kNsPerS;
  for (TimeNs at_ns = 0; at_ns < end_ns; at_ns += kNsPerS * (1 + random.below(5))) {
    ServerStep& step = steps.emplace_back();
    step.at_ns = at_ns;
    for (std::size_t m = 0; m < modules; ++m) {
      step.workers.push_back(static_cast<int>(random.below(5)));
      step.cores.push_back(static_cast<int>(random.below(3)));
    }
  }
  if (kind.scales_to_zero)
    steps.push_back({kLastNs, std::vector<int>(modules, 1), std::vector<int>(modules, 1)});
  for (std::size_t i = 1; i < steps.size() && kind.calm; ++i) {
    for (std::size_t m = 0; m < modules; ++m) {
      const int before = steps[i - 1].workers[m];
      int& workers = steps[i].workers[m];
      const bool is_last = kind.scales_to_zero && i + 1 == steps.size();
      workers = i % 2 == 1 || is_last ? std::max(before, workers) : std::min(before, workers);
    }
  }
  return steps;
}

/// True if the plan of the next whole second may take workers away, which every second step of
/// random_server_steps() may.
inline bool takes_away(const std::vector<ServerStep>& steps, TimeNs at_ns) {
  const TimeNs next_ns = (at_ns / kNsPerS + 1) * kNsPerS;
  for (std::size_t i = 2; i < steps.size(); i += 2) {
    if (steps[i].at_ns == next_ns) return true;
  }
  return false;
}

/// Returns a cell with random plans and faults on servers; unless it is calm, memory is short, and instances
/// take several GPUs.
inline RunSpec random_server_cell(RandomStream& random, const ServerCellKind& kind = {}) {
  const std::size_t modules = 1 + random.below(4);
  std::vector<double> sizes;
  for (std::size_t m = 0; m < modules; ++m) sizes.push_back(100 + 4000 * random.uniform());
  const std::vector<ServerStep> steps = random_server_steps(random, modules, kind);
  ServerShape shape{4, 8, 4100 + 8000 * random.uniform(), 0};
  if (kind.scales_to_zero || kind.calm) shape.memory_mb += 30'000;  // room for an instance and a copy of each
  const int servers = kind.calm ? 8 : 1 + static_cast<int>(random.below(3));
  RunSpec spec = server_spec(sizes, shape, servers, steps, false);
  const bool has_placement = random.below(4) > 0;
  if (has_placement) spec.servers.cores = 0;  // this placement does not know planned cores
  spec.system = std::make_unique<ServerSystem>(steps, has_placement, nullptr, kind.scales_to_zero);
  if (kind.scales_to_zero) spec.serving.queue = QueueScope::kModule;
  for (Profile& profile : spec.profiles) {
    profile.gpus = kind.scales_to_zero || kind.calm ? 1 : 1 + static_cast<int>(random.below(3));
    profile.cpu_ns = 10'000'000;
    profile.cores = 2;
  }
  const auto most = static_cast<std::uint64_t>(kind.calm ? shape.gpus : spec.workers);
  while (spec.faults.size() < 3) {
    const auto first = random.below(static_cast<std::uint64_t>(spec.workers));
    const auto gpus = 1 + random.below(std::min(most, static_cast<std::uint64_t>(spec.workers) - first));
    const double at_ms = 40e3 * random.uniform();
    const double for_ms = 1 + 9e3 * random.uniform();
    spec.faults.push_back(
        fault_of(FaultKind::kStop, at_ms, for_ms, static_cast<int>(first), static_cast<int>(gpus)));
    // The next plan replaces lost workers; it must not take others away.
    if (kind.calm && takes_away(steps, spec.faults.back().at_ns)) spec.faults.pop_back();
  }
  return spec;
}

}  // namespace harness::testing

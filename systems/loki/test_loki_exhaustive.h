// Solves Loki's two programs by trying every number of workers and every batch size. The flows that remain
// are a small linear program for the simplex method in this file. None of the planner's code is used.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "systems/loki/allocation_problem.h"

namespace harness {

/// Maximises objective x subject to rows x <= bounds, x >= 0, with bounds >= 0 (x = 0 is allowed): the
/// simplex method with a dense table and Bland's rule. Every program here is bounded.
inline double small_lp(std::vector<std::vector<double>> rows, std::vector<double> bounds,
                       std::vector<double> objective) {
  constexpr double kZero = 1e-10;
  const std::size_t m = rows.size();
  const std::size_t n = objective.size();
  for (std::size_t i = 0; i < m; ++i) {
    rows[i].resize(n + m, 0);
    rows[i][n + i] = 1;
  }
  objective.resize(n + m, 0);
  std::vector<std::size_t> basis;
  for (std::size_t i = 0; i < m; ++i) basis.push_back(n + i);
  double value = 0;
  for (;;) {
    std::size_t enter = 0;
    while (enter < n + m && objective[enter] <= kZero) ++enter;
    if (enter == n + m) return value;
    std::size_t leave = m;
    for (std::size_t i = 0; i < m; ++i) {
      if (rows[i][enter] <= kZero) continue;
      if (leave == m) {
        leave = i;
        continue;
      }
      const double here = bounds[i] * rows[leave][enter];
      const double best = bounds[leave] * rows[i][enter];
      if (here < best || (here == best && basis[i] < basis[leave])) leave = i;
    }
    if (leave == m) return value;  // unbounded, which no program of this file is
    const double pivot = rows[leave][enter];
    for (double& factor : rows[leave]) factor /= pivot;
    bounds[leave] /= pivot;
    for (std::size_t i = 0; i < m; ++i) {
      const double times = rows[i][enter];
      if (i == leave || times == 0) continue;
      for (std::size_t j = 0; j < n + m; ++j) rows[i][j] -= times * rows[leave][j];
      bounds[i] = std::max(0.0, bounds[i] - times * bounds[leave]);
    }
    const double gain = objective[enter];
    for (std::size_t j = 0; j < n + m; ++j) objective[j] -= gain * rows[leave][j];
    value += gain * bounds[leave];
    basis[leave] = enter;
  }
}

/// The workers and batch sizes of every module.
struct Configuration {
  std::vector<int> workers;
  std::vector<int> batch;
};

/// Calls `visit` with every choice of at most S workers and of allowed batch sizes.
inline void each_configuration(const AllocationProblem& problem,
                               const std::function<void(const Configuration&)>& visit) {
  const std::size_t modules = problem.pipeline->modules.size();
  Configuration now{std::vector<int>(modules, 0), std::vector<int>(modules, 1)};
  const std::function<void(std::size_t, int)> choose = [&](std::size_t m, int left) {
    if (m == modules) return visit(now);
    now.workers[m] = 0;
    now.batch[m] = 1;
    choose(m + 1, left);
    for (int count = 1; count <= left; ++count) {
      for (const int batch : problem.batches) {
        if (batch > problem.profiles[m]->max_batch()) continue;
        now.workers[m] = count;
        now.batch[m] = batch;
        choose(m + 1, left - count);
      }
    }
    now.workers[m] = 0;
    now.batch[m] = 1;
  };
  choose(0, problem.workers);
}

/// The best flows through one configuration.
class FlowProgram {
 public:
  FlowProgram(const AllocationProblem& problem, const Configuration& configuration)
      : problem_(problem), configuration_(configuration) {
    for (const Module& module : problem.pipeline->modules) sinks_ += is_sink_task(module) ? 1 : 0;
    walk(0, -1, 1, 1, 0);
  }

  /// Returns the accuracy (Eq. 12) for the problem's demand, or -1 if it cannot be carried.
  double accuracy() {
    constexpr double kWhole = 1000;  // all requests have to reach all sinks
    const double most_rps = demand_rps();
    if (most_rps <= 0 || most_rps < problem_.demand_rps * (1 - 1e-9)) return -1;
    std::vector<double> worth(ways_.size(), 0.0);
    for (std::size_t w = 0; w < ways_.size(); ++w)
      if (ways_[w].sink) worth[w] = (kWhole + ways_[w].accuracy) / sinks_;
    std::vector<std::vector<double>> rows = splits(1);
    std::vector<double> bounds(rows.size(), 0.0);
    add_root(rows), bounds.push_back(1);
    add_loads(rows, bounds, problem_.demand_rps);
    return small_lp(rows, bounds, worth) - kWhole;
  }

  /// Returns the largest demand that can be carried.
  double demand_rps() {
    std::vector<std::vector<double>> rows = splits(-1);
    std::vector<double> bounds(rows.size(), 0.0);
    add_loads(rows, bounds, 1);
    std::vector<double> worth(ways_.size(), 0.0);
    for (std::size_t w = 0; w < ways_.size(); ++w)
      if (ways_[w].parent < 0) worth[w] = 1;
    return small_lp(rows, bounds, worth);
  }

 private:
  struct Way {  // a way from the root to a variant
    ModuleId module;
    int parent;
    double visits;
    double accuracy;
    bool sink;
  };

  bool is_sink_task(const Module& module) const {
    const auto id = static_cast<ModuleId>(&module - problem_.pipeline->modules.data());
    return module.subs.empty() && problem_.pipeline->task_of(id) == id;
  }

  // Adds all ways on from `parent` through variants that have workers, as long as they are in time.
  void walk(ModuleId task, int parent, double visits, double accuracy, TimeNs before_ns) {
    const std::vector<Module>& modules = problem_.pipeline->modules;
    for (std::size_t m = 0; m < modules.size(); ++m) {
      if (problem_.pipeline->task_of(static_cast<ModuleId>(m)) != task || configuration_.workers[m] == 0)
        continue;
      const TimeNs ns = before_ns + problem_.profiles[m]->latency(configuration_.batch[m]);
      if (ns > problem_.latency_limit_ns) continue;
      const int way = static_cast<int>(ways_.size());
      ways_.push_back({static_cast<ModuleId>(m), parent, visits, accuracy * modules[m].accuracy,
                       modules[m].subs.empty()});
      for (std::size_t s = 0; s < modules[m].subs.size(); ++s)
        walk(modules[m].subs[s], way, visits * problem_.fan_out[m][s],
             ways_[static_cast<std::size_t>(way)].accuracy, ns);
    }
  }

  // Returns rows which say that the flow to each task after a way is at most (sign 1) or at least (sign -1)
  // the flow that takes the way.
  std::vector<std::vector<double>> splits(double sign) const {
    std::vector<std::vector<double>> rows;
    for (std::size_t w = 0; w < ways_.size(); ++w) {
      for (const ModuleId sub : problem_.pipeline->modules[ways_[w].module].subs) {
        std::vector<double> row(ways_.size(), 0.0);
        row[w] = -sign;
        for (std::size_t c = 0; c < ways_.size(); ++c)
          if (ways_[c].parent == static_cast<int>(w) && problem_.pipeline->task_of(ways_[c].module) == sub)
            row[c] = sign;
        rows.push_back(row);
      }
    }
    return rows;
  }

  void add_root(std::vector<std::vector<double>>& rows) const {
    std::vector<double> row(ways_.size(), 0.0);
    for (std::size_t w = 0; w < ways_.size(); ++w) row[w] = ways_[w].parent < 0 ? 1 : 0;
    rows.push_back(row);
  }

  void add_loads(std::vector<std::vector<double>>& rows, std::vector<double>& bounds,
                 double demand_rps) const {
    for (std::size_t m = 0; m < configuration_.workers.size(); ++m) {
      if (configuration_.workers[m] == 0) continue;
      std::vector<double> row(ways_.size(), 0.0);
      for (std::size_t w = 0; w < ways_.size(); ++w)
        if (ways_[w].module == m) row[w] = demand_rps * ways_[w].visits;
      const int batch = configuration_.batch[m];
      rows.push_back(row);
      bounds.push_back(configuration_.workers[m] * batch / ns_to_s(problem_.profiles[m]->latency(batch)));
    }
  }

  const AllocationProblem& problem_;
  const Configuration& configuration_;
  int sinks_ = 0;
  std::vector<Way> ways_;
};

/// The optima of one problem.
struct ExhaustiveOptima {
  int workers = -1;       ///< fewest workers of hardware scaling; -1: not feasible
  double accuracy = -1;   ///< largest accuracy of accuracy scaling; -1: not feasible
  double demand_rps = 0;  ///< largest demand that can be carried
};

inline ExhaustiveOptima exhaustive_optima(const AllocationProblem& problem) {
  ExhaustiveOptima best;
  const std::vector<Module>& modules = problem.pipeline->modules;
  each_configuration(problem, [&](const Configuration& configuration) {
    FlowProgram flows(problem, configuration);
    best.demand_rps = std::max(best.demand_rps, flows.demand_rps());
    const double accuracy = flows.accuracy();
    best.accuracy = std::max(best.accuracy, accuracy);
    if (accuracy < 0) return;
    int workers = 0;
    for (std::size_t m = 0; m < modules.size(); ++m) {
      workers += configuration.workers[m];
      const double most = modules[problem.pipeline->task_of(static_cast<ModuleId>(m))].accuracy;
      if (configuration.workers[m] > 0 && modules[m].accuracy < most) return;
    }
    if (best.workers < 0 || workers < best.workers) best.workers = workers;
  });
  return best;
}

}  // namespace harness

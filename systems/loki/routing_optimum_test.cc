// "MostAccurateFirst maximizes the end-to-end pipeline accuracy" (section 5.1), against all ways to route.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "systems/loki/most_accurate_first.h"
#include "systems/loki/routing_entry.h"
#include "systems/loki/routing_tables.h"
#include "systems/loki/test_routing_cases.h"

namespace harness {
namespace {

double accuracy_of(const RoutingCase& made, std::size_t worker) {
  return made.pipeline.modules[made.workers[worker].module].accuracy;
}

/// The workers of a task.
std::vector<std::size_t> workers_of(const RoutingCase& made, std::size_t task) {
  std::vector<std::size_t> found;
  for (std::size_t w = 0; w < made.workers.size(); ++w) {
    if (task_index(made.pipeline, made.workers[w].module) == task) found.push_back(w);
  }
  return found;
}

/// Returns the largest sum of accuracies when `units` visits are spread over `workers` from `first` on.
double best_spread(const RoutingCase& made, const std::vector<std::size_t>& workers, std::size_t first,
                   int units) {
  if (first == workers.size()) return units == 0 ? 0 : -1e9;
  double best = -1e9;
  const int most = std::min(units, static_cast<int>(made.workers[workers[first]].capacity_rps));
  for (int here = 0; here <= most; ++here) {
    best = std::max(
        best, here * accuracy_of(made, workers[first]) + best_spread(made, workers, first + 1, units - here));
  }
  return best;
}

/// Returns a case with capacities of 0 to 4; the caller adds a demand that the root can take. Flows of whole
/// numbers are enough: with whole capacities, some optimum has whole flows.
RoutingCase small_case(const std::vector<TaskSpec>& tasks, RandomStream& random) {
  RoutingCase made{linked(tasks), {}, 0};
  for (const Task& task : made.pipeline.tasks) {
    for (WorkerId w = 0; w < 3; ++w) {
      const auto module =
          static_cast<ModuleId>(task.first + random.below(static_cast<std::uint64_t>(task.variants)));
      made.workers.push_back(
          {static_cast<WorkerId>(made.workers.size()), module, static_cast<double>(random.below(5)), 1});
    }
  }
  return made;
}

double capacity_of(const RoutingCase& made, std::size_t task) {
  double sum = 0;
  for (const std::size_t w : workers_of(made, task)) sum += made.workers[w].capacity_rps;
  return sum;
}

// Whatever reaches a task is served as accurately as its workers can.
TEST(MostAccurateFirst, ServesEachTaskAsAccuratelyAsCanBe) {
  RandomStream random(1, "each task");
  int judged = 0;
  for (int round = 0; round < 1000; ++round) {
    const auto whole = [&] { return static_cast<double>(random.below(3)); };
    RoutingCase made = small_case(
        {{"root",
          {"left", "right"},
          {task_variant("a", 1, {whole(), whole()}), task_variant("b", 0.7, {whole(), whole()})}},
         {"left", {}, {task_variant("c", 1, {}), task_variant("d", 0.9, {}), task_variant("e", 0.4, {})}},
         {"right", {}, {task_variant("f", 0.8, {}), task_variant("g", 0.3, {})}}},
        random);
    made.demand_rps = static_cast<double>(random.below(1 + static_cast<std::uint64_t>(capacity_of(made, 0))));
    const RoutingTables tables = tables_of(made);
    for (std::size_t task = 0; task < 3; ++task) {
      double visits = 0;
      double sum = 0;
      for (const std::size_t w : workers_of(made, task)) {
        visits += tables.incoming_rps(w);
        sum += tables.incoming_rps(w) * accuracy_of(made, w);
      }
      if (visits > capacity_of(made, task)) continue;  // overflow is no question of accuracy
      ++judged;
      EXPECT_NEAR(sum, best_spread(made, workers_of(made, task), 0, static_cast<int>(visits + 0.5)), 1e-9);
    }
  }
  EXPECT_GT(judged, 1500);
}

/// Returns the largest sum over `units` requests of the products of their two accuracies. Each request goes
/// through any worker of the first task and any of the second, which are numbered from `pair` on; `left` has
/// the capacities.
double best_paths(const RoutingCase& made, std::vector<double>& left, std::size_t pair, int units) {
  if (units == 0) return 0;
  double best = -1e9;
  for (; pair < 9; ++pair) {
    const std::size_t first = pair / 3;
    const std::size_t second = 3 + pair % 3;
    if (left[first] < 1 || left[second] < 1) continue;
    --left[first], --left[second];
    best = std::max(
        best, accuracy_of(made, first) * accuracy_of(made, second) + best_paths(made, left, pair, units - 1));
    ++left[first], ++left[second];
  }
  return best;
}

double sum_over_paths(const RoutingCase& made, const RoutingTables& tables) {
  double sum = 0;
  for (const std::size_t w : workers_of(made, 0)) {
    const double visits = tables.incoming_rps(w) * made.pipeline.modules[made.workers[w].module].fan_out[0];
    for (const RoutingEntry& route : tables.from(w, 0))
      sum += visits * route.probability * accuracy_of(made, w) * accuracy_of(made, route.worker);
  }
  return sum;
}

// End to end: two tasks, in which each variant of the first causes as many visits.
TEST(MostAccurateFirst, IsOptimalEndToEndWhereFactorsAreEqual) {
  RandomStream random(2, "end to end");
  for (int round = 0; round < 300; ++round) {
    RoutingCase made = small_case(
        {{"first",
          {"second"},
          {task_variant("a", 1, {1}), task_variant("b", 0.7, {1}), task_variant("c", 0.2, {1})}},
         {"second", {}, {task_variant("d", 1, {}), task_variant("e", 0.9, {}), task_variant("f", 0.4, {})}}},
        random);
    const double most = std::min({capacity_of(made, 0), capacity_of(made, 1), 5.0});
    made.demand_rps = static_cast<double>(random.below(1 + static_cast<std::uint64_t>(most)));
    std::vector<double> left;
    for (const RoutedWorker& worker : made.workers) left.push_back(worker.capacity_rps);
    EXPECT_NEAR(sum_over_paths(made, tables_of(made)),
                best_paths(made, left, 0, static_cast<int>(made.demand_rps)), 1e-9);
  }
}

// If these numbers differ the claim does not hold: the more accurate detector finds ten times as many cars,
// for which only the worse classifier has room. Each way to route serves all of 10 requests; the greedy one
// reaches a mean accuracy of (10 x 1 + 90 x 0.1) / 100, the other one 0.9.
TEST(MostAccurateFirst, IsNotOptimalEndToEndWhereFactorsDiffer) {
  const Pipeline pipeline =
      linked({{"first", {"second"}, {task_variant("x", 1, {10}), task_variant("n", 0.9, {1})}},
              {"second", {}, {task_variant("b7", 1, {}), task_variant("b0", 0.1, {})}}});
  RoutingCase greedy{pipeline, {{0, 0, 10, 1}, {1, 1, 10, 1}, {2, 2, 10, 1}, {3, 3, 1000, 1}}, 10};
  EXPECT_NEAR(sum_over_paths(greedy, tables_of(greedy)) / 100, 0.19, 1e-12);
  RoutingCase other = greedy;
  other.workers[0].capacity_rps = 0;
  EXPECT_NEAR(sum_over_paths(other, tables_of(other)) / 10, 0.9, 1e-12);
}

}  // namespace
}  // namespace harness

// Properties of the tables that hold for any tree, workers and demand.
#include <gtest/gtest.h>

#include <algorithm>

#include "systems/loki/backup.h"
#include "systems/loki/most_accurate_first.h"
#include "systems/loki/routing_entry.h"
#include "systems/loki/routing_params.h"
#include "systems/loki/routing_tables.h"
#include "systems/loki/test_routing_cases.h"

namespace harness {
namespace {

constexpr int kRounds = 3000;
const std::vector<Overflow> kOverflows = {Overflow::kEqual, Overflow::kCapacity, Overflow::kLast,
                                          Overflow::kDrop};

struct Made {
  RoutingCase input;
  Overflow overflow = Overflow::kEqual;
  Ties ties = Ties::kFill;
  RoutingTables tables;

  std::size_t tasks() const { return input.pipeline.tasks.size(); }
  std::size_t task_of(std::size_t worker) const {
    return task_index(input.pipeline, input.workers[worker].module);
  }
  /// Calls visit(worker, sub, task after) for each table of a worker.
  template <class Visit>
  void for_each_table(Visit&& visit) const {
    for (std::size_t w = 0; w < input.workers.size(); ++w) {
      const std::vector<ModuleId>& subs = input.pipeline.modules[input.workers[w].module].subs;
      for (std::size_t s = 0; s < subs.size(); ++s) visit(w, s, task_index(input.pipeline, subs[s]));
    }
  }
  double fan_out(std::size_t worker, std::size_t sub) const {
    return input.pipeline.modules[input.workers[worker].module].fan_out[sub];
  }
  double capacity_of(std::size_t task) const {
    double sum = 0;
    for (std::size_t w = 0; w < input.workers.size(); ++w)
      sum += task_of(w) == task ? input.workers[w].capacity_rps : 0;
    return sum;
  }
  double incoming_of(std::size_t task) const {
    double sum = 0;
    for (std::size_t w = 0; w < input.workers.size(); ++w)
      sum += task_of(w) == task ? tables.incoming_rps(w) : 0;
    return sum;
  }
  /// Visits/s that the workers before the tasks send, served or not.
  std::vector<double> demands() const {
    std::vector<double> demand(tasks(), 0.0);
    demand[0] = input.demand_rps;
    for_each_table([&](std::size_t w, std::size_t sub, std::size_t task) {
      demand[task] += tables.incoming_rps(w) * fan_out(w, sub);
    });
    return demand;
  }
};

template <class Check>
void for_random_cases(Check&& check) {
  RandomStream random(3, "routing tables");
  for (int round = 0; round < kRounds; ++round) {
    SCOPED_TRACE(round);
    Made made{random_case(random),
              kOverflows[random.below(4)],
              random.below(2) == 0 ? Ties::kFill : Ties::kSpread,
              {}};
    made.tables = tables_of(made.input, made.overflow, made.ties);
    check(made);
    if (testing::Test::HasFailure()) return;
  }
}

/// Probabilities are positive and sum to 1, or to less where visits are dropped, over different workers of
/// the task that have capacity.
void expect_table_of(const Made& made, std::span<const RoutingEntry> table, std::size_t task) {
  double sum = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const RoutingEntry& route = table[i];
    EXPECT_GT(route.probability, 0);
    sum += route.probability;
    EXPECT_NEAR(route.up_to, sum, 1e-12);
    EXPECT_EQ(made.task_of(route.worker), task);
    EXPECT_GT(made.input.workers[route.worker].capacity_rps, 0);
    EXPECT_EQ(route.exec_ns, made.input.workers[route.worker].exec_ns);
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(table[j].worker, route.worker);
  }
  EXPECT_LE(sum, 1 + 1e-12);
  if (made.overflow == Overflow::kDrop) return;
  EXPECT_EQ(table.empty(), made.capacity_of(task) == 0);
  if (table.empty()) return;
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_EQ(table.back().up_to, 1);
}

TEST(RoutingTables, ProbabilitiesSumToOne) {
  for_random_cases([](const Made& made) {
    for (std::size_t task = 0; task < made.tasks(); ++task)
      expect_table_of(made, made.tables.into(task), task);
    made.for_each_table([&](std::size_t w, std::size_t sub, std::size_t task) {
      expect_table_of(made, made.tables.from(w, sub), task);
    });
  });
}

// Requests that follow the tables arrive at each worker as planned.
TEST(RoutingTables, CarryThePlannedFlows) {
  for_random_cases([](const Made& made) {
    std::vector<double> carried(made.input.workers.size(), 0.0);
    for (const RoutingEntry& route : made.tables.frontend())
      carried[route.worker] += made.input.demand_rps * route.probability;
    made.for_each_table([&](std::size_t w, std::size_t sub, std::size_t) {
      for (const RoutingEntry& route : made.tables.from(w, sub))
        carried[route.worker] += made.tables.incoming_rps(w) * made.fan_out(w, sub) * route.probability;
    });
    for (std::size_t w = 0; w < carried.size(); ++w)
      EXPECT_NEAR(carried[w], made.tables.incoming_rps(w), 1e-9 * (1 + carried[w]));
    const std::vector<double> demand = made.demands();
    for (std::size_t task = 0; task < made.tasks(); ++task) {
      if (demand[task] == 0) continue;
      for (const RoutingEntry& route : made.tables.into(task))
        EXPECT_NEAR(demand[task] * route.probability, carried[route.worker],
                    1e-9 * (1 + carried[route.worker]));
    }
  });
}

// A task takes its demand, but only up to its capacity if the rest is dropped.
TEST(RoutingTables, TasksTakeTheirDemandUpToTheirCapacity) {
  for_random_cases([](const Made& made) {
    const std::vector<double> demand = made.demands();
    for (std::size_t task = 0; task < made.tasks(); ++task) {
      const double capacity = made.capacity_of(task);
      const double taken = made.overflow == Overflow::kDrop ? std::min(demand[task], capacity)
                           : capacity > 0                   ? demand[task]
                                                            : 0;
      EXPECT_NEAR(made.incoming_of(task), taken, 1e-9 * (1 + taken)) << "task " << task;
    }
  });
}

// No worker is planned beyond its capacity while another has some left, and no worker at all if the rest is
// dropped. The capacity that is left is in the backup tables.
TEST(RoutingTables, NoWorkerIsOverloadedUnlessAllAre) {
  for_random_cases([](const Made& made) {
    std::vector<double> left(made.input.workers.size(), 0.0);
    for (std::size_t task = 0; task < made.tasks(); ++task) {
      for (const Backup& backup : made.tables.backups(task)) left[backup.worker] = backup.leftover_rps;
    }
    for (std::size_t w = 0; w < left.size(); ++w) {
      const double capacity = made.input.workers[w].capacity_rps;
      const bool all_full = made.tables.backups(made.task_of(w)).empty();
      if (!all_full || made.overflow == Overflow::kDrop) {
        EXPECT_LE(made.tables.incoming_rps(w), capacity * (1 + 1e-12));
        EXPECT_NEAR(made.tables.incoming_rps(w) + left[w], capacity, 1e-8 * (1 + capacity));
      } else if (capacity > 0) {
        EXPECT_GE(made.tables.incoming_rps(w), capacity * (1 - 1e-8));
      }
    }
  });
}

// A worker has demand only if all more accurate ones of its task are full (section 5.1).
TEST(RoutingTables, TheMostAccurateAreFilledFirst) {
  for_random_cases([](const Made& made) {
    for (std::size_t task = 0; task < made.tasks(); ++task) {
      double accuracy = 1;
      for (const Backup& backup : made.tables.backups(task)) {
        EXPECT_LE(backup.accuracy, accuracy);
        accuracy = backup.accuracy;
        for (std::size_t w = 0; w < made.input.workers.size(); ++w) {
          const double other = made.input.pipeline.modules[made.input.workers[w].module].accuracy;
          if (made.task_of(w) != task || other >= accuracy) continue;
          EXPECT_EQ(made.tables.incoming_rps(w), 0)
              << "worker " << w << ", " << backup.worker << " has some left";
        }
      }
    }
  });
}

// At most one worker of a variant is partly filled if they are filled in turn; if they are filled together,
// all are filled to the same share.
TEST(RoutingTables, WorkersOfAVariantAreFilledAsTold) {
  for_random_cases([](const Made& made) {
    for (std::size_t a = 0; a < made.input.workers.size(); ++a) {
      for (std::size_t b = a + 1; b < made.input.workers.size(); ++b) {
        const RoutedWorker& first = made.input.workers[a];
        const RoutedWorker& second = made.input.workers[b];
        if (first.module != second.module || !(first.capacity_rps > 0) || !(second.capacity_rps > 0))
          continue;
        if (made.tables.backups(made.task_of(a)).empty()) continue;
        const double first_load = made.tables.incoming_rps(a) / first.capacity_rps;
        const double second_load = made.tables.incoming_rps(b) / second.capacity_rps;
        if (made.ties == Ties::kSpread) {
          EXPECT_NEAR(first_load, second_load, 1e-9);
        } else if (second_load > 0) {
          EXPECT_NEAR(first_load, 1, 1e-8);
        }
      }
    }
  });
}

bool equal(std::span<const RoutingEntry> a, std::span<const RoutingEntry> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const RoutingEntry& x, const RoutingEntry& y) {
    return x.worker == y.worker && x.probability == y.probability && x.up_to == y.up_to &&
           x.exec_ns == y.exec_ns;
  });
}

// Tables that are made again equal tables that are made afresh: nothing stays of the tables before.
// (bench/loki_route_bench.cc counts that making them allocates nothing.)
TEST(RoutingTables, MadeAnewAreThoseMadeAfresh) {
  RandomStream random(5, "anew");
  for (int round = 0; round < 500; ++round) {
    const RoutingCase made = random_case(random);
    const std::vector<std::vector<double>> fan_out = fan_out_of(made.pipeline);
    MostAccurateFirst router(made.pipeline, Overflow::kEqual, Ties::kFill);
    Made again{made, Overflow::kEqual, Ties::kFill, {}};
    router.build(made.workers, fan_out, 1e9, again.tables);
    router.build(std::span(made.workers).first(made.workers.size() / 2), fan_out, 0, again.tables);
    router.build(made.workers, fan_out, made.demand_rps, again.tables);
    const RoutingTables afresh = tables_of(made);
    again.for_each_table([&](std::size_t w, std::size_t sub, std::size_t) {
      EXPECT_TRUE(equal(again.tables.from(w, sub), afresh.from(w, sub)));
    });
    for (std::size_t task = 0; task < again.tasks(); ++task) {
      EXPECT_TRUE(equal(again.tables.into(task), afresh.into(task)));
      EXPECT_EQ(again.tables.backups(task).size(), afresh.backups(task).size());
    }
  }
}

}  // namespace
}  // namespace harness

// Trees of tasks in live runs stepped in virtual time: variants come and go with the plans, visits cause
// several others. Over a network without delay all of that is as simulated; over any network the books close.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "harness/live/test_as_simulated.h"
#include "harness/live/test_lossy_network.h"
#include "harness/live/test_ranks_in_step.h"
#include "harness/record/metrics.h"
#include "harness/sim/simulation.h"
#include "harness/sim/test_tasks.h"
#include "harness/sim/test_world.h"
#include "systems/all_systems.h"

namespace harness {
namespace {

using testing::RanksInStep;
using testing::TreeKind;

/// A system that plans as it is told (TreeSystem), and those that plan for themselves, every second.
constexpr const char* kSystems[] = {"told", "loki", "proteus", "inferline"};

/// Throws InputError if the system has no plan for the tree that was drawn.
RunSpec draw_tree(const std::string& system, RandomStream& random, const TreeKind& kind) {
  RunSpec spec = testing::random_tree_cell(random, kind);
  spec.faults.clear();
  if (random.below(3) == 0) spec.world.cold_start_ms = 0;
  if (system == "told") return spec;
  spec.system = find_system(system)->make();
  spec.workers += static_cast<int>(spec.pipeline.tasks.size());
  testing::set_param(spec, "period_s", 0.8);
  testing::set_param(spec, "tables_period_s", 0.4);
  testing::set_param(spec, "demand_alpha", 0.9);  // plans follow every burst
  if (system == "loki") {
    const char* const rules[] = {"none", "last_task", "per_task", "reroute"};
    testing::set_param(spec, "early_dropping", std::string(rules[kind.refuses ? random.below(4) : 0]));
    testing::set_param(spec, "ties", std::string(random.below(2) == 0 ? "fill" : "spread"));
  } else if (!kind.refuses) {
    testing::set_param(spec, "early_dropping", std::string("none"));
  }
  initial_plan(spec, 100);
  return spec;
}

RunSpec next_tree(const std::string& system, RandomStream& random, const TreeKind& kind = {}) {
  return testing::next_with_a_plan([&] { return draw_tree(system, random, kind); });
}

/// By moment and module: workers and batch cap at its end, where they are others than before. Of the workers
/// that leave and come in one moment live rows may tell one by one.
std::map<std::pair<TimeNs, ModuleId>, std::pair<std::uint32_t, std::uint32_t>> changes_of(
    const RunRecord& record) {
  std::map<std::pair<TimeNs, ModuleId>, std::pair<std::uint32_t, std::uint32_t>> changes;
  for (const PlanRow& row : record.plans) changes[{row.at_ns, row.module}] = {row.workers, row.batch_cap};
  std::map<ModuleId, std::pair<std::uint32_t, std::uint32_t>> before;
  std::erase_if(changes, [&before](const auto& change) {
    const auto [last, is_first] = before.try_emplace(change.first.second, change.second);
    return !is_first && std::exchange(last->second, change.second) == change.second;
  });
  return changes;
}

void expect_same_plans_and_paths(const RunRecord& live, const RunRecord& simulated) {
  EXPECT_TRUE(changes_of(live) == changes_of(simulated)) << "another plan";
  EXPECT_EQ(live.accuracy_requests, simulated.accuracy_requests);
  EXPECT_NEAR(live.accuracy_sum, simulated.accuracy_sum, 1e-6);
  const PathTotals live_paths = path_totals(live);
  const PathTotals paths = path_totals(simulated);
  EXPECT_EQ(live_paths.in_time, paths.in_time);
  EXPECT_EQ(live_paths.late, paths.late);
  EXPECT_EQ(live_paths.lost, paths.lost);
  EXPECT_NEAR(live_paths.accuracy_sum, paths.accuracy_sum, 1e-6);
}

/// What the cells that were compared had in them.
struct Tally {
  int cells = 0;
  std::uint64_t sent = 0;
  std::uint64_t visits = 0;
  std::uint64_t refused = 0;
  std::uint64_t lost = 0;           ///< with workers that stopped, or with messages
  std::uint64_t started_later = 0;  ///< workers
  std::uint64_t removed = 0;        ///< workers
};

void add(const RunRecord& record, Tally& tally) {
  ++tally.cells;
  tally.sent += record.sent;
  for (const ModuleTotals& module : record.modules) {
    const auto dropped = [&](DropReason reason) { return module.dropped[static_cast<std::size_t>(reason)]; };
    tally.visits += module.arrived;
    tally.refused += dropped(DropReason::kOverBudget);
    tally.lost += dropped(DropReason::kWorkerLost) + dropped(DropReason::kMessageLost);
  }
  for (const WorkerTotals& worker : record.workers) {
    tally.started_later += worker.ready_ns > 0 ? 1 : 0;
    tally.removed += worker.removed_ns != kNever ? 1 : 0;
  }
}

/// Runs the cell on 1 to 3 ranks and compares.
void run_both(RunSpec spec, RandomStream& random, bool whole_requests, Tally& tally) {
  spec.world.network_delay_ms = 0;
  // The least loaded is another one while notices of the same moment are on their way.
  spec.serving.dispatch = Dispatch::kRoundRobin;
  const int ranks = 1 + static_cast<int>(random.below(3));
  SCOPED_TRACE("on " + std::to_string(ranks));
  if (whole_requests && simulate(spec, nullptr).dropped > 0) return;
  const auto [live, simulated] = testing::run_live_and_simulated(spec, ranks);
  expect_same_plans_and_paths(live, simulated);
  add(simulated, tally);
}

TEST(LiveTrees, WithoutDelayTheLiveRunIsTheSimulatedOne) {
  // Where visits are dropped, their siblings are cancelled: at once there, by messages here, before which a
  // batch of the same moment may have begun. What is told to a worker that closes comes back later, too, so
  // that the system without a mind of its own has one plan.
  for (const std::string system : kSystems) {
    RandomStream random(21, system);
    Tally tally;
    for (int round = 0; round < 30; ++round) {
      SCOPED_TRACE(system + " round " + std::to_string(round));
      const TreeKind kind{.refuses = false, .replans = system != "told"};
      run_both(next_tree(system, random, kind), random, true, tally);
    }
    EXPECT_GE(tally.cells, 25) << system;
    EXPECT_GT(tally.visits, 2 * tally.sent) << system;
    if (system != "told") {
      EXPECT_GT(tally.started_later + tally.removed, 10U) << system << ": plans change";
    }
  }
}

TEST(LiveTrees, WithoutDelayVisitsAreDroppedAsSimulated) {
  // A request has one visit at a time, so that no other is cancelled at the moment of a drop.
  std::uint64_t lost = 0;
  std::uint64_t refused = 0;
  for (const std::string system : kSystems) {
    RandomStream random(22, system);
    Tally tally;
    for (int round = 0; round < 30; ++round) {
      SCOPED_TRACE(system + " round " + std::to_string(round));
      RunSpec spec = next_tree(system, random, {.branches = false, .replans = system != "told"});
      if (round % 2 == 1) spec.faults = testing::random_faults(random, spec.workers);
      // Proteus plans for what arrives at each task: a live dispatcher hears it from the queues, late where
      // messages are; a simulated one reads it.
      std::erase_if(spec.faults, [&](const Fault& fault) {
        return system == "proteus" && (fault.kind == FaultKind::kDelay || fault.kind == FaultKind::kLoss);
      });
      run_both(std::move(spec), random, false, tally);
    }
    lost += tally.lost;
    refused += tally.refused;
  }
  EXPECT_GT(lost, 100U);
  EXPECT_GT(refused, 100U);
}

TEST(LiveTrees, BooksCloseOverAnyNetwork) {
  std::uint64_t refused = 0;
  for (const std::string system : kSystems) {
    RandomStream random(23, system);
    for (int round = 0; round < 24; ++round) {
      RunSpec spec = next_tree(system, random, {.clock_bound_ns = 10 * kNsPerMs});
      if (round % 2 == 1) spec.faults = testing::random_faults(random, spec.workers);
      const TestFaults network = random_delays(random);
      const int ranks = 1 + static_cast<int>(random.below(5));
      SCOPED_TRACE(system + " round " + std::to_string(round) + " on " + std::to_string(ranks));
      testing::RowKeeper rows;
      const RunRecord record = RanksInStep(ranks, network).run(spec, {}, &rows);
      EXPECT_EQ(record.sent, record.in_time + record.late + record.dropped);
      EXPECT_EQ(record.sent, rows.request_rows.size());
      EXPECT_EQ(record.why_invalid, "");
      for (const ModuleTotals& module : record.modules)
        refused += module.dropped[static_cast<std::size_t>(DropReason::kOverBudget)];
    }
  }
  EXPECT_GT(refused, 100U);
}

TEST(LiveTrees, LostAndRepeatedMessagesNeverBreakTheBooks) {
  std::uint64_t unfinished = 0;
  for (const std::string system : kSystems) {
    RandomStream random(24, system);
    for (int round = 0; round < 12; ++round) {
      const RunSpec spec = next_tree(system, random, {.clock_bound_ns = 10 * kNsPerMs});
      SCOPED_TRACE(system + " round " + std::to_string(round));
      unfinished += testing::unfinished_over_lossy_network(
          spec, {}, RandomStream(static_cast<std::uint64_t>(round), system));
    }
  }
  EXPECT_GT(unfinished, 0U) << "some message that was lost must have mattered";
}

}  // namespace
}  // namespace harness

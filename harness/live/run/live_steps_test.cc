// The live code in virtual time: over any network, whatever that loses or repeats, the accounting closes.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "harness/engine/replay/replay.h"
#include "harness/live/run/test_lossy_network.h"
#include "harness/live/run/test_ranks_in_step.h"
#include "harness/sim/simulation.h"
#include "harness/sim/test_preempting.h"
#include "harness/sim/test_run.h"
#include "systems/test_system_cells.h"

namespace harness {
namespace {

using testing::RanksInStep;
using testing::Tally;

/// Returns the next cell that some plan fits.
RunSpec next_cell(RandomStream& random, const char* system) {
  return testing::next_with_a_plan([&] { return testing::loaded_cell(random, *find_system(system)); });
}

/// Random cells of one kind. A new mechanism adds a kind.
struct CellKind {
  std::string name;
  std::function<RunSpec(RandomStream&)> draw;  ///< draws a cell; may throw InputError: no plan fits
  Tally at_least = {};                         ///< least tallies over any network
  bool tensors = true;                         ///< true: with tensors in half of the cells
};
void PrintTo(const CellKind& kind, std::ostream* out) { *out << kind.name; }

/// Returns the kinds of cells: of a system that preempts, of one whose queues serve several modules, of all
/// systems, and of trees of tasks.
std::vector<CellKind> cell_kinds() {
  std::vector<CellKind> kinds = {
      {"preemption", testing::random_preempting_cell, {{"preempted", 300}, {"tensor_waits", 1}}},
      {"groups", [](RandomStream& random) { return testing::random_group_cell(random); }},
      {"changing groups", testing::random_changing_cell}};
  for (const SystemEntry& entry : all_systems()) {
    const auto draw = [&entry](RandomStream& random) { return testing::loaded_cell(random, entry); };
    kinds.push_back({entry.name, draw, {{"tensor_waits", 1}}});
  }
  for (const std::string system : {"told", "loki", "proteus", "hwscaling"}) {
    const auto draw = [system](RandomStream& random) {
      RunSpec spec = testing::tree_cell_of(system, random, {.clock_bound_ns = 10 * kNsPerMs});
      // Its usual budget, the SLO over the tasks, is hardly ever exceeded by so few requests.
      if (system == "proteus") testing::set_param(spec, "task_budget", std::string("execution"));
      return spec;
    };
    kinds.push_back({system + " trees", draw, {{"over_budget", 1}}, false});
  }
  return kinds;
}

/// The tests that run side by side.
class CellsOverNetworks : public ::testing::TestWithParam<CellKind> {};

TEST_P(CellsOverNetworks, CloseTheirAccounting) {
  const CellKind& kind = GetParam();
  RandomStream random(4, kind.name);
  Tally tally;
  for (int round = 0; round < 24; ++round) {
    RunSpec spec = testing::next_with_a_plan([&] { return kind.draw(random); });
    if (round % 2 == 1) spec.faults = testing::random_faults(random, spec.workers);
    const LiveRun how = round < 12 || !kind.tensors ? LiveRun{} : testing::with_tensors(spec);
    const TestFaults network = random_delays(random);
    const int ranks = 1 + static_cast<int>(random.below(5));
    SCOPED_TRACE("round " + std::to_string(round) + " on " + std::to_string(ranks));
    testing::RowKeeper rows;
    const RunRecord record = RanksInStep(ranks, network).run(spec, how, &rows);
    EXPECT_EQ(record.sent, record.in_time + record.late + record.dropped);
    EXPECT_EQ(record.sent, rows.request_rows.size());
    EXPECT_EQ(record.why_invalid, "");
    testing::expect_no_tensors_left(record);
    testing::add(record, tally);
    for (const RankTotals& rank : record.ranks) tally["tensor_waits"] += rank.tensor_waits;
  }
  testing::expect_at_least(kind.at_least, tally);
}

/// Runs twelve random cells of the kind; returns the number of unfinished requests.
std::uint64_t run_over_lossy_networks(const CellKind& kind, std::uint64_t seed) {
  std::uint64_t unfinished = 0;
  RandomStream random(seed, kind.name);
  for (int round = 0; round < 12; ++round) {
    RunSpec spec = testing::next_with_a_plan([&] { return kind.draw(random); });
    const LiveRun how = round % 2 == 0 || !kind.tensors ? LiveRun{} : testing::with_tensors(spec);
    SCOPED_TRACE(kind.name + " round " + std::to_string(round));
    unfinished += testing::unfinished_over_lossy_network(
        spec, how, RandomStream(static_cast<std::uint64_t>(round), kind.name));
  }
  return unfinished;
}

TEST_P(CellsOverNetworks, AlwaysCloseTheAccountingWhereMessagesAreLost) {
  EXPECT_GT(run_over_lossy_networks(GetParam(), 5), 0U) << "some message that was lost must have mattered";
}

INSTANTIATE_TEST_SUITE_P(AllKinds, CellsOverNetworks, ::testing::ValuesIn(cell_kinds()),
                         [](const auto& kind) {
                           std::string name = kind.param.name;
                           std::replace(name.begin(), name.end(), ' ', '_');
                           return name;
                         });

TEST(LossyNetwork, BringsAVisitTwiceToAQueueThatHasClosed) { run_over_lossy_networks(cell_kinds()[0], 20); }

TEST(LossyNetwork, LosesThePlanOfAGroupWhoseQueueOpens) { run_over_lossy_networks(cell_kinds()[2], 8); }

TEST(LiveSteps, EveryRankKeepsWhatReachedItsQueues) {
  RandomStream random(6, "replay");
  RunSpec spec = next_cell(random, "pard");
  spec.record_replay = true;
  spec.planner.autoscale = false;
  spec.serving.queue = QueueScope::kWorker;
  const RunRecord record = RanksInStep(3, {}).run(spec, {});
  EXPECT_EQ(record.replay.size(), record.workers.size()) << "a log for each worker's own queue";
  for (std::size_t i = 0; i < record.replay.size(); ++i) EXPECT_EQ(record.replay[i].queue, i);
}

/// A rank's log is larger than one message carries: it comes in pieces, and whole.
TEST(LiveSteps, ALongReplayComesInPieces) {
  const TimeNs duration_ns = 10 * kNsPerS;
  RunSpec spec =
      testing::make_spec("nexus", testing::chain(1), {testing::linear_profile("m", 0.5, 1, 4)}, {{4, 2}},
                         kNsPerS / 10, testing::poisson_times(1000, duration_ns, 1), duration_ns);
  spec.record_replay = true;
  const RunRecord simulated = simulate(spec, nullptr);
  for (const int ranks : {1, 2, 3}) {
    const RunRecord live = RanksInStep(ranks, {}).run(spec, {});
    EXPECT_EQ(live.why_invalid, "");
    ASSERT_EQ(live.replay.size(), 2U);
    for (std::size_t queue = 0; queue < 2; ++queue) {
      const ReplayLog& log = live.replay[queue];
      EXPECT_GT(log.bytes.size(), 80'000U);
      const ReplayCounts counts = testing::expect_repeated(spec, {log});
      EXPECT_EQ(counts.callbacks, simulated.replay[queue].callbacks);
      EXPECT_EQ(counts.decisions, simulated.replay[queue].decisions);
    }
  }
}

/// A GPU serves 4 in 10 ms. Under overload, and if most batches are not full, the visits that have joined by
/// the end of a batch start at that end, however late the rank wakes, and without visits that come in
/// between.
TEST(LiveSteps, FormedBatchesStartOnTimeHoweverLateTheRankWakes) {
  for (const TimeNs gap_ns : {10 * kNsPerUs, 2600 * kNsPerUs}) {
    std::vector<TimeNs> arrivals;
    for (int i = 0; i < 500; ++i) arrivals.push_back(i * gap_ns);
    const RunSpec spec =
        testing::make_spec("naive", testing::chain(1), {testing::linear_profile("m", 2, 2, 4)}, {{4, 1}},
                           10 * kNsPerS, arrivals, 2 * kNsPerS);
    for (const TimeNs late_ns : {TimeNs{0}, 100 * kNsPerUs, 3 * kNsPerMs}) {
      SCOPED_TRACE(std::to_string(gap_ns) + " " + std::to_string(late_ns));
      testing::RowKeeper rows;
      RanksInStep ranks(2, {});
      ranks.oversleep(late_ns);
      ranks.run(spec, {}, &rows);
      ASSERT_EQ(rows.visit_rows.size(), 500U);
      TimeNs before_ns = 0;  // end of the batch before
      TimeNs ended_ns = 0;
      int formed = 0;
      for (const auto& row : rows.visit_rows) {
        if (row.ended_ns != ended_ns) before_ns = std::exchange(ended_ns, row.ended_ns);
        if (row.joined_ns >= before_ns) continue;
        EXPECT_EQ(row.started_ns, before_ns);
        ++formed;
      }
      EXPECT_GT(formed, 100);
    }
  }
}

TEST(LiveSteps, TensorsGoFromWorkerToWorkerAndNotThroughRank0) {
  RandomStream random(7, "payload");
  RunSpec spec = next_cell(random, "naive");  // drops nothing: every request visits every module
  while (spec.pipeline.modules.size() == 1) spec = next_cell(random, "naive");
  spec.pipeline = testing::chain(spec.pipeline.modules.size());
  spec.planner.autoscale = false;
  spec.serving.queue = QueueScope::kWorker;
  std::uint64_t between = 0;
  for (std::size_t m = 0; m < spec.pipeline.modules.size(); ++m) {
    spec.pipeline.modules[m].input_bytes = static_cast<std::uint32_t>(1000 * (m + 1));
    if (m > 0) between += spec.pipeline.modules[m].input_bytes;
  }
  for (const int ranks : {1, 2, 4}) {
    SCOPED_TRACE(std::to_string(ranks) + " ranks");
    LiveRun how;
    const RunRecord without = RanksInStep(ranks, {}).run(spec, how);
    how.params.payload = true;
    const RunRecord with = RanksInStep(ranks, {}).run(spec, how);
    EXPECT_EQ(with.in_time, without.in_time);
    testing::expect_no_tensors_left(with);
    std::uint64_t by_handle = 0;
    std::uint64_t by_message = 0;
    for (const RankTotals& rank : with.ranks) {
      by_handle += rank.tensor_handle_bytes;
      by_message += rank.tensor_message_bytes;
    }
    EXPECT_EQ(by_handle + by_message, between * with.sent);
    EXPECT_EQ(by_message > 0, ranks > 2);
    // Rank 0 sends the clients' tensors to other ranks, and tells them of every other tensor that it need not
    // be kept.
    const std::uint64_t clients = ranks > 1 ? spec.pipeline.modules[0].input_bytes * with.sent : 0;
    const std::uint64_t most_releases =
        (sizeof(Message::Header) + sizeof(ReleaseEntry)) * (with.modules.size() - 1) * with.sent;
    const std::uint64_t more = with.ranks[0].bytes_sent - without.ranks[0].bytes_sent;
    EXPECT_GE(more, clients);
    EXPECT_LE(more, clients + most_releases);
    if (ranks == 2) {
      EXPECT_EQ(with.ranks[1].bytes_sent, without.ranks[1].bytes_sent);
    }
  }
}

}  // namespace
}  // namespace harness

// The live code in virtual time: over a network without delay it decides as the simulator does; over any
// network, whatever that loses or repeats, the books close.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/engine/dispatcher.h"
#include "harness/engine/replay.h"
#include "harness/live/test_as_simulated.h"
#include "harness/live/test_lossy_network.h"
#include "harness/live/test_ranks_in_step.h"
#include "harness/sim/simulation.h"
#include "harness/sim/test_groups.h"
#include "harness/sim/test_preempting.h"
#include "harness/sim/test_random_cells.h"
#include "harness/sim/test_world.h"
#include "systems/all_systems.h"

namespace harness {
namespace {

using testing::RanksInStep;
using testing::run_live_and_simulated;

/// The next cell that some plan fits.
RunSpec next_cell(RandomStream& random, const SystemEntry& entry) {
  return testing::next_with_a_plan([&] {
    RunSpec spec = testing::random_cell(random, entry);
    testing::add_load(spec, random);
    return spec;
  });
}

/// Random cells of a system.
struct CellKind {
  std::string name;
  std::function<RunSpec(RandomStream&)> next;
};

/// Those of all systems, of one that preempts, and of one whose queues serve several modules.
std::vector<CellKind> cell_kinds() {
  std::vector<CellKind> kinds = {
      {"preemption", testing::random_preempting_cell},
      {"groups", [](RandomStream& random) { return testing::random_group_cell(random); }},
      {"changing groups", testing::random_changing_cell}};
  for (const SystemEntry& entry : all_systems())
    kinds.push_back({entry.name, [&entry](RandomStream& random) { return next_cell(random, entry); }});
  return kinds;
}

/// Tensors of random sizes, also of none, for the modules.
LiveRun with_tensors(RunSpec& spec) {
  RandomStream random(spec.seed, "with_tensors");
  for (Module& module : spec.pipeline.modules)
    module.input_bytes = random.below(5) == 0 ? 0 : static_cast<std::uint32_t>(1 + random.below(3000));
  LiveRun how;
  how.params.payload = true;
  return how;
}

void expect_no_tensors_left(const RunRecord& record) {
  for (const RankTotals& rank : record.ranks) EXPECT_EQ(rank.tensors_left, 0u) << "rank " << rank.rank;
}

TEST(LiveSteps, WithoutDelayTheLiveRunIsTheSimulatedOne) {
  // Systems that exchange no state: reports and publications take 10 ms here, a message's time there.
  for (const char* system : {"naive", "clipperpp", "nexus"}) {
    RandomStream random(3, system);
    for (int round = 0; round < 12; ++round) {
      RunSpec spec = next_cell(random, *find_system(system));
      spec.world.network_delay_ms = 0;
      spec.planner.autoscale = false;
      // The least loaded is another one while notices of the same moment are on their way.
      spec.serving.dispatch = Dispatch::kRoundRobin;
      if (round % 2 == 1) spec.faults = testing::random_faults(random, spec.workers);
      const int ranks = 1 + static_cast<int>(random.below(5));
      SCOPED_TRACE(std::string(system) + " round " + std::to_string(round) + " on " + std::to_string(ranks));
      const LiveRun how = round % 4 < 2 ? LiveRun{} : with_tensors(spec);
      const RunRecord live = run_live_and_simulated(spec, ranks, how).live;
      expect_no_tensors_left(live);
      for (const RankTotals& rank : live.ranks) EXPECT_EQ(rank.tensor_wait_max_ns, 0);
      EXPECT_LT(live.lateness.quantile(1), LatencyHistogram::kResolutionNs)
          << "the clock waits for everybody";
    }
  }
}

TEST(LiveSteps, TheLeastLoadedQueueIsTheSameWithFaultyLinks) {
  // One module, so that nothing else happens at the moment of a notice.
  int with_losses = 0;
  for (const char* system : {"naive", "clipperpp", "nexus"}) {
    RandomStream random(8, system);
    for (int round = 0; round < 40; ++round) {
      RunSpec spec = next_cell(random, *find_system(system));
      if (spec.pipeline.modules.size() > 1) continue;
      spec.world.network_delay_ms = 0;
      spec.planner.autoscale = false;
      spec.serving.dispatch = Dispatch::kLeastLoaded;
      spec.serving.queue = QueueScope::kWorker;
      spec.faults = testing::random_faults(random, spec.workers);
      SCOPED_TRACE(std::string(system) + " round " + std::to_string(round));
      const RunRecord live = run_live_and_simulated(spec, 2).live;
      const auto lost = static_cast<std::size_t>(DropReason::kMessageLost);
      if (live.modules[0].dropped[lost] > 0) ++with_losses;
    }
  }
  EXPECT_GT(with_losses, 5);
}

TEST(LiveSteps, WithoutDelayPreemptionsAreTheSimulatedOnes) {
  // One module, so that nothing else happens at the moment of a preemption.
  RandomStream random(9, "preemption");
  std::uint64_t preempted = 0;
  for (int round = 0; round < 120; ++round) {
    RunSpec spec = testing::random_preempting_cell(random);
    if (spec.pipeline.modules.size() > 1) continue;
    spec.world.network_delay_ms = 0;
    spec.planner.autoscale = false;
    spec.serving.dispatch = Dispatch::kRoundRobin;
    const int ranks = 1 + static_cast<int>(random.below(5));
    SCOPED_TRACE("round " + std::to_string(round) + " on " + std::to_string(ranks));
    const RunRecord simulated = run_live_and_simulated(spec, ranks).simulated;
    for (const ModuleTotals& totals : simulated.modules) preempted += totals.preempted;
  }
  EXPECT_GT(preempted, 1'000U);
}

TEST(LiveSteps, WithoutDelayGroupsServeTheirStreamsAsSimulated) {
  RandomStream random(15, "groups");
  std::uint64_t preempted = 0;
  std::size_t grouped = 0;
  for (int round = 0; round < 150; ++round) {
    RunSpec spec = testing::random_group_cell(random);
    // No module sends to another, so that nothing else happens at the moment of an end.
    const auto takes = [](const Module& module) { return !module.subs.empty(); };
    if (std::any_of(spec.pipeline.modules.begin(), spec.pipeline.modules.end(), takes)) continue;
    spec.world.network_delay_ms = 0;
    const int ranks = 1 + static_cast<int>(random.below(5));
    SCOPED_TRACE("round " + std::to_string(round) + " on " + std::to_string(ranks));
    const LiveRun how = round % 2 == 0 ? LiveRun{} : with_tensors(spec);
    const auto [live, simulated] = run_live_and_simulated(spec, ranks, how);
    expect_no_tensors_left(live);
    for (const ModuleTotals& totals : simulated.modules) preempted += totals.preempted;
    grouped += simulated.plans.size();
  }
  EXPECT_GT(preempted, 1'000U);
  EXPECT_GT(grouped, 100U);
}

/// Every so manieth request alone, so that queues are empty when they close: visits that come back from
/// there, and GPUs that become free at that moment, may come in any order.
void thin_out(RunSpec& spec, std::size_t every) {
  std::vector<TimeNs> times(100'000);
  std::vector<StreamId> streams(times.size());
  const std::size_t count = spec.arrivals->restarted()->next(times, streams);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; i += every, ++kept) {
    times[kept] = times[i];
    streams[kept] = streams[i];
  }
  times.resize(kept);
  streams.resize(kept);
  spec.arrivals = std::make_unique<testing::FixedArrivals>(std::move(times), spec.arrivals->duration_ns(),
                                                           std::move(streams));
}

TEST(LiveSteps, WithoutDelayGroupsChangeAsSimulated) {
  RandomStream random(16, "changing groups");
  std::size_t moved = 0;
  for (int round = 0; round < 400; ++round) {
    RunSpec spec = testing::random_changing_cell(random);
    const auto takes = [](const Module& module) { return !module.subs.empty(); };
    if (std::any_of(spec.pipeline.modules.begin(), spec.pipeline.modules.end(), takes)) continue;
    if (!spec.system->loads_ahead()) continue;  // cold starts that end at one moment are heard of by rank
    spec.world.network_delay_ms = 0;
    thin_out(spec, 8);
    // All queues on one rank: what several that close send back comes in order of the ranks.
    const int ranks = 1 + static_cast<int>(random.below(2));
    SCOPED_TRACE("round " + std::to_string(round) + " on " + std::to_string(ranks));
    const RunRecord simulated = run_live_and_simulated(spec, ranks).simulated;
    for (const WorkerTotals& worker : simulated.workers) moved += worker.removed_ns != kNever ? 1 : 0;
  }
  EXPECT_GT(moved, 300U);
}

TEST(LiveSteps, BooksCloseOverAnyNetwork) {
  std::uint64_t waits = 0;
  std::uint64_t preempted = 0;
  for (const CellKind& kind : cell_kinds()) {
    RandomStream random(4, kind.name);
    for (int round = 0; round < 24; ++round) {
      RunSpec spec = kind.next(random);
      if (round % 2 == 1) spec.faults = testing::random_faults(random, spec.workers);
      const LiveRun how = round < 12 ? LiveRun{} : with_tensors(spec);
      const TestFaults network = random_delays(random);
      const int ranks = 1 + static_cast<int>(random.below(5));
      SCOPED_TRACE(kind.name + " round " + std::to_string(round) + " on " + std::to_string(ranks));
      testing::RowKeeper rows;
      const RunRecord record = RanksInStep(ranks, network).run(spec, how, &rows);
      EXPECT_EQ(record.sent, record.in_time + record.late + record.dropped);
      EXPECT_EQ(record.sent, rows.request_rows.size());
      EXPECT_EQ(record.why_invalid, "");
      expect_no_tensors_left(record);
      for (const RankTotals& rank : record.ranks) waits += rank.tensor_waits;
      for (const ModuleTotals& totals : record.modules) preempted += totals.preempted;
    }
  }
  EXPECT_GT(waits, 0u) << "some tensor must have come later than its visit's batch";
  EXPECT_GT(preempted, 1'000u);
}

TEST(LiveSteps, EveryRankKeepsWhatReachedItsDomains) {
  RandomStream random(6, "replay");
  RunSpec spec = next_cell(random, *find_system("pard"));
  spec.record_replay = true;
  spec.planner.autoscale = false;
  spec.serving.queue = QueueScope::kWorker;
  const RunRecord record = RanksInStep(3, {}).run(spec, {});
  EXPECT_EQ(record.replay.size(), record.workers.size()) << "a log for each worker's own domain";
  for (std::size_t i = 0; i < record.replay.size(); ++i) EXPECT_EQ(record.replay[i].domain, i);
}

/// A rank's log is larger than a message needs to be: it comes in pieces, and whole.
TEST(LiveSteps, ALongReplayComesInPieces) {
  const TimeNs duration_ns = 10 * kNsPerS;
  RunSpec spec =
      testing::make_spec("nexus", testing::chain(1), {testing::linear_profile("m", 0.5, 1, 4)}, {{4, 2}},
                         kNsPerS / 10, testing::poisson_times(1000, duration_ns, 1), duration_ns);
  spec.record_replay = true;
  const RunRecord simulated = simulate(spec, nullptr);
  const ServingContext context = make_context(spec);
  for (const int ranks : {1, 2, 3}) {
    const RunRecord live = RanksInStep(ranks, {}).run(spec, {});
    EXPECT_EQ(live.why_invalid, "");
    ASSERT_EQ(live.replay.size(), 2U);
    for (std::size_t domain = 0; domain < 2; ++domain) {
      const ReplayLog& log = live.replay[domain];
      EXPECT_GT(log.bytes.size(), 80'000U);
      ReplayCounts counts;
      const auto scheduler = spec.system->make_scheduler(context, log.domain, log.group);
      EXPECT_FALSE(replay(log, *scheduler, counts).has_value()) << "domain " << domain;
      EXPECT_EQ(counts.callbacks, simulated.replay[domain].callbacks);
      EXPECT_EQ(counts.decisions, simulated.replay[domain].decisions);
    }
  }
}

TEST(LiveSteps, TensorsGoFromWorkerToWorkerAndNotThroughRank0) {
  RandomStream random(7, "payload");
  RunSpec spec =
      next_cell(random, *find_system("naive"));  // drops nothing: every request visits every module
  while (spec.pipeline.modules.size() == 1) spec = next_cell(random, *find_system("naive"));
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
    expect_no_tensors_left(with);
    std::uint64_t by_handle = 0;
    std::uint64_t by_message = 0;
    for (const RankTotals& rank : with.ranks) {
      by_handle += rank.tensor_handle_bytes;
      by_message += rank.tensor_message_bytes;
    }
    EXPECT_EQ(by_handle + by_message, between * with.sent);
    EXPECT_EQ(by_message > 0, ranks > 2);
    // Rank 0 sends the clients' tensors, and says of every other that it need not be kept.
    const std::uint64_t clients = spec.pipeline.modules[0].input_bytes * with.sent;
    const std::uint64_t most_releases =
        (sizeof(MessageHeader) + sizeof(ReleaseEntry)) * (with.modules.size() - 1) * with.sent;
    const std::uint64_t more = with.ranks[0].bytes_sent - without.ranks[0].bytes_sent;
    EXPECT_GE(more, clients);
    EXPECT_LE(more, clients + most_releases);
    if (ranks == 2) {
      EXPECT_EQ(with.ranks[1].bytes_sent, without.ranks[1].bytes_sent);
    }
  }
}

/// Twelve random cells of the kind; returns the requests that were left over.
std::uint64_t run_over_lossy_networks(const CellKind& kind, std::uint64_t seed) {
  std::uint64_t unfinished = 0;
  RandomStream random(seed, kind.name);
  for (int round = 0; round < 12; ++round) {
    RunSpec spec = kind.next(random);
    const LiveRun how = round % 2 == 0 ? LiveRun{} : with_tensors(spec);
    SCOPED_TRACE(kind.name + " round " + std::to_string(round));
    unfinished += testing::unfinished_over_lossy_network(
        spec, how, RandomStream(static_cast<std::uint64_t>(round), kind.name));
  }
  return unfinished;
}

// In several tests, which run side by side.
class LossyCells : public ::testing::TestWithParam<CellKind> {};

TEST_P(LossyCells, NeverBreakTheBooks) {
  EXPECT_GT(run_over_lossy_networks(GetParam(), 5), 0U) << "some message that was lost must have mattered";
}

INSTANTIATE_TEST_SUITE_P(AllKinds, LossyCells, ::testing::ValuesIn(cell_kinds()), [](const auto& kind) {
  std::string name = kind.param.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
});

TEST(LossyNetwork, BringsAVisitTwiceToAQueueThatHasClosed) { run_over_lossy_networks(cell_kinds()[0], 20); }

TEST(LossyNetwork, LosesThePlanOfAGroupWhoseQueueOpens) { run_over_lossy_networks(cell_kinds()[2], 8); }

}  // namespace
}  // namespace harness

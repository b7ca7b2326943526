// The live runtime on small cells: the books close, all systems and shapes of pipelines run, and what comes
// out is what arithmetic says, within what a busy machine may add.
#include "harness/live/live_run.h"

#include <gtest/gtest.h>

#include <thread>

#include "harness/engine/cluster.h"
#include "harness/engine/dispatcher.h"
#include "harness/engine/replay.h"
#include "harness/live/test_transport.h"
#include "harness/live/transport.h"
#include "harness/sim/test_world.h"

namespace harness {
namespace {

using testing::chain;
using testing::linear_profile;
using testing::make_spec;

/// Two modules, batches of up to 4, two workers each, 200 requests/s for half a second.
RunSpec small(const std::string& system, Pipeline pipeline) {
  std::vector<Profile> profiles;
  std::vector<ModuleOverride> overrides;
  for (std::size_t m = 0; m < pipeline.modules.size(); ++m) {
    profiles.push_back(linear_profile("m" + std::to_string(m), 2, 4, 4));
    overrides.push_back({4, 2});
  }
  const TimeNs duration_ns = kNsPerS / 2;
  RunSpec spec = make_spec(system, std::move(pipeline), std::move(profiles), overrides, 400 * kNsPerMs,
                           testing::poisson_times(200, duration_ns, 1), duration_ns);
  spec.record_replay = true;
  return spec;
}

void expect_closed(const RunRecord& record, std::uint64_t sent) {
  EXPECT_EQ(record.sent, sent);
  EXPECT_EQ(record.in_time + record.late + record.dropped, sent);
  EXPECT_EQ(record.unfinished, 0u);
  EXPECT_EQ(record.why_invalid, "");
  EXPECT_EQ(record.lateness.total(), sent);
}

RunRecord run_in_one_rank(const RunSpec& spec) {
  const auto transport = make_local_transport();
  std::optional<RunRecord> record = run_live(spec, {}, *transport, nullptr);
  EXPECT_TRUE(record.has_value());
  return std::move(*record);
}

std::uint64_t requests_of(const RunSpec& spec) {
  return static_cast<std::uint64_t>(spec.arrivals->expected_requests());
}

/// What was recorded of each domain repeats its decisions; in wall-clock time no two runs are alike.
void expect_replayed(const RunSpec& spec, const RunRecord& record) {
  const bool grouped = !initial_plan(spec, 1000).groups.empty();
  ASSERT_EQ(record.replay.size(), grouped ? 1U : record.workers.size())
      << "one domain a worker, or all in one";
  const RequestSizes sizes(spec.seed, spec.profiles, spec.trace_tokens);
  const ServingContext context = make_context(spec, &sizes);
  ReplayCounts counts;
  for (DomainId domain = 0; domain < record.replay.size(); ++domain) {
    const ReplayLog& log = record.replay[domain];
    EXPECT_EQ(log.domain, domain);
    const auto scheduler = spec.system->make_scheduler(context, log.domain, log.group);
    const auto difference = replay(log, *scheduler, counts);
    EXPECT_FALSE(difference.has_value())
        << difference->call << " " << difference->before << " " << difference->after;
  }
  EXPECT_GT(counts.callbacks, 2 * record.sent) << "an arrival at each of two modules, and batches";
}

TEST(LiveRun, EverySystemClosesItsBooksInOneRank) {
  for (const SystemEntry& entry : all_systems()) {
    const RunSpec spec = small(entry.name, chain(2));
    const RunRecord record = run_in_one_rank(spec);
    SCOPED_TRACE(entry.name);
    expect_replayed(spec, record);
    expect_closed(record, requests_of(spec));
    EXPECT_GT(record.in_time, record.sent / 2) << "load 0.4 of the capacity, an SLO of 33 batches";
  }
}

TEST(LiveRun, RequestsSplitAndMerge) {
  for (const Pipeline& pipeline : {testing::diamond(), testing::diamond_of_one()}) {
    const RunSpec spec = small("pard", pipeline);
    expect_closed(run_in_one_rank(spec), requests_of(spec));
  }
}

/// All ranks of a network, each in a thread.
RunRecord run_on(TestNetwork& network, int ranks, const LiveRun& run, const std::string& system,
                 const Pipeline& pipeline) {
  std::optional<RunRecord> record;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      const RunSpec spec = small(system, pipeline);
      std::optional<RunRecord> mine = run_live(spec, run, network.at(rank), nullptr);
      if (mine) record = std::move(mine);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(record.has_value());
  return std::move(*record);
}

TEST(LiveRun, RanksShareTheWorkers) {
  TestNetwork network(3);
  const RunRecord record = run_on(network, 3, {}, "pard", chain(2));
  expect_closed(record, requests_of(small("pard", chain(2))));
  expect_replayed(small("pard", chain(2)), record);
  ASSERT_EQ(record.ranks.size(), 3u);
  EXPECT_EQ(record.ranks[0].workers, 0u);
  EXPECT_EQ(record.ranks[1].workers + record.ranks[2].workers, 4u);
  std::uint64_t sent = 0;
  for (const RankTotals& rank : record.ranks) sent += rank.messages_sent;
  EXPECT_GT(sent, record.sent * 4) << "a delivery and a notice at each of two modules, but for batches";
}

}  // namespace
}  // namespace harness

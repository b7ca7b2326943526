// Tests of the live runtime on small cells: the accounting closes, all systems and shapes of pipelines run,
// and the results are as computed by hand, within what a busy machine may add.
#include "harness/live/run/live_run.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include "harness/core/environment_error.h"
#include "harness/engine/dispatch/initial_plan.h"
#include "harness/live/transport/local_transport.h"
#include "harness/live/transport/test_transport.h"
#include "harness/machine/steady_clock.h"
#include "harness/serving/common_routers.h"
#include "harness/sim/test_run.h"

namespace harness {
namespace {

using testing::chain;
using testing::linear_profile;
using testing::make_spec;

/// Returns a cell of two modules, batches of up to 4, two workers each, and 200 requests/s for half a second.
/// No pause of a busy machine exceeds its SLO.
RunSpec small(const std::string& system, Pipeline pipeline) {
  std::vector<Profile> profiles;
  std::vector<ModuleOverride> overrides;
  for (std::size_t m = 0; m < pipeline.modules.size(); ++m) {
    profiles.push_back(linear_profile("m" + std::to_string(m), 2, 4, 4));
    overrides.push_back({4, 2});
  }
  const TimeNs duration_ns = kNsPerS / 2;
  RunSpec spec = make_spec(system, std::move(pipeline), std::move(profiles), overrides, 30 * kNsPerS,
                           testing::poisson_times(200, duration_ns, 1), duration_ns);
  spec.record_replay = true;
  return spec;
}

void expect_closed(const RunRecord& record, std::uint64_t sent) {
  EXPECT_EQ(record.sent, sent);
  EXPECT_EQ(record.in_time + record.late + record.dropped, sent);
  EXPECT_EQ(record.unfinished, 0u);
  EXPECT_EQ(record.why_invalid, "");
  EXPECT_EQ(record.schedule_lag.total(), sent);
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

/// Expects that the record of each queue repeats its decisions; in wall-clock time no two runs are alike.
void expect_replayed(const RunSpec& spec, const RunRecord& record) {
  const bool grouped = !initial_plan(spec, 1000).groups.empty();
  ASSERT_EQ(record.replay.size(), grouped ? 1U : record.workers.size())
      << "one queue a worker, or all in one";
  for (QueueId queue = 0; queue < record.replay.size(); ++queue) EXPECT_EQ(record.replay[queue].queue, queue);
  EXPECT_GT(testing::expect_repeated(spec, record.replay).callbacks, 2 * record.sent)
      << "an arrival at each of two modules, and batches";
}

TEST(LiveRun, EverySystemClosesItsAccountingInOneRank) {
  for (const SystemEntry& entry : all_systems()) {
    RunSpec spec = small(entry.name, chain(2));
    testing::without_early_dropping(spec);
    testing::without_waiting_for_batches(spec, entry.name);
    const RunRecord record = run_in_one_rank(spec);
    SCOPED_TRACE(entry.name);
    expect_replayed(spec, record);
    expect_closed(record, requests_of(spec));
    EXPECT_EQ(record.in_time, record.sent) << "load 0.4 of the capacity, an SLO of 2,500 batches";
  }
}

TEST(LiveRun, RequestsSplitAndMerge) {
  for (const Pipeline& pipeline : {testing::diamond(), testing::diamond_of_one()}) {
    const RunSpec spec = small("pard", pipeline);
    expect_closed(run_in_one_rank(spec), requests_of(spec));
  }
}

/// Runs all ranks of a network, each in a thread.
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

/// The state that the parts of WaitingSystem share across threads.
struct Seen {
  std::atomic<int> routed{0};
  std::atomic<int> plans{0};
  std::atomic<bool> in_vain{false};
  bool has_no_second = false;  ///< true: the planner throws if a second plan is asked for
};

/// A planner with one worker at the start, then two; a plan takes as long as five requests take to come.
class WaitingPlanner final : public Planner {
 public:
  WaitingPlanner(const ServingContext& context, std::shared_ptr<Seen> seen)
      : context_(context), seen_(std::move(seen)) {}
  Plan plan(TimeNs, const LoadStatistics&, const Plan& current) override {
    const int workers = current.modules.empty() ? 1 : 2;
    if (workers == 2 && seen_->has_no_second) throw EnvironmentError("no second plan");
    if (workers == 2) wait_for_requests();
    return {{{workers, 4, context_.profiles[0]->latency(4)}}, {}};
  }

 private:
  void wait_for_requests() {
    const int wanted = seen_->routed.load() + 5;
    const TimeNs limit_ns = steady_ns() + 10 * kNsPerS;
    while (seen_->routed.load() < wanted && steady_ns() < limit_ns && !seen_->in_vain.load())
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (seen_->routed.load() < wanted) seen_->in_vain.store(true);
    ++seen_->plans;
  }

  const ServingContext& context_;
  std::shared_ptr<Seen> seen_;
};

class CountingRouter final : public Router {
 public:
  explicit CountingRouter(std::shared_ptr<Seen> seen) : seen_(std::move(seen)) {}
  void route(TimeNs now, std::span<const Visit> visits, std::span<const QueueView> queues,
             std::span<std::uint32_t> out) override {
    seen_->routed += static_cast<int>(visits.size());
    inner_->route(now, visits, queues, out);
  }

 private:
  std::shared_ptr<Seen> seen_;
  std::unique_ptr<Router> inner_ = make_round_robin_router();
};

class WaitingSystem final : public System {
 public:
  explicit WaitingSystem(std::shared_ptr<Seen> seen) : seen_(std::move(seen)) {}
  void list(ParamList&) override {}
  std::unique_ptr<Scheduler> make_scheduler(const ServingContext& context, QueueId queue,
                                            GroupId group) override {
    return naive_->make_scheduler(context, queue, group);
  }
  std::unique_ptr<Planner> make_planner(const ServingContext& context) const override {
    return std::make_unique<WaitingPlanner>(context, seen_);
  }
  std::unique_ptr<Router> make_router(const ServingContext&, ModuleId) override {
    return std::make_unique<CountingRouter>(seen_);
  }
  TimeNs replan_period_ns(const ServingContext&) const override { return kNsPerS / 10; }

 private:
  std::shared_ptr<Seen> seen_;
  std::unique_ptr<System> naive_ = find_system("naive")->make();
};

TEST(LiveRun, RequestsAreServedWhileAPlanIsComputed) {
  const auto seen = std::make_shared<Seen>();
  RunSpec spec = small("naive", chain(1));
  spec.system = std::make_unique<WaitingSystem>(seen);
  const RunRecord record = run_in_one_rank(spec);
  expect_closed(record, requests_of(spec));
  EXPECT_FALSE(seen->in_vain.load()) << "no request was routed while a plan was computed";
  EXPECT_GT(seen->plans.load(), 1);
  ASSERT_EQ(record.workers.size(), 2U);
  EXPECT_GE(record.workers[1].ready_ns, kNsPerS / 10) << "the second plan takes effect once it is there";
}

TEST(LiveRun, WhatAPlannerThrowsEndsTheRun) {
  const auto seen = std::make_shared<Seen>();
  seen->has_no_second = true;
  RunSpec spec = small("naive", chain(1));
  spec.system = std::make_unique<WaitingSystem>(seen);
  const auto transport = make_local_transport();
  EXPECT_THROW(run_live(spec, {}, *transport, nullptr), EnvironmentError);
}

}  // namespace
}  // namespace harness

// Effects of the rules of early dropping on a queue that one can follow by hand, in simulated runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/test_time.h"
#include "harness/sim/simulation.h"
#include "harness/sim/test_tasks.h"
#include "systems/all_systems.h"

namespace harness {
namespace {

using testing::linear_profile;
using testing::tree;
using testing::variant;

constexpr TimeNs kEvery = 5 * kMs;
constexpr TimeNs kExec = 10 * kMs;
constexpr TimeNs kSlo = 200 * kMs;
constexpr int kRequests = 800;

using Setting = std::pair<std::string, std::string>;

/// 800 requests, one every 5 ms; the first task's only worker takes 10 ms for each: twice what it can carry.
struct Overload {
  Overload(const char* system, const Pipeline& pipeline, const std::vector<Setting>& settings) {
    std::vector<TimeNs> times;
    for (int n = 0; n < kRequests; ++n) times.push_back(n * kEvery);
    std::vector<Profile> profiles = {linear_profile("a", 0, 10, 1)};
    if (pipeline.modules.size() == 2) profiles.push_back(linear_profile("b", 0, 1, 1));
    RunSpec spec = testing::tree_cell(pipeline, std::move(profiles), {{{1}}}, times, kRequests * kEvery);
    spec.system = find_system(system)->make();
    spec.workers = static_cast<int>(pipeline.modules.size());
    spec.slo_ns = kSlo;
    for (const auto& [name, value] : settings) testing::set_param(spec, name, value);
    record = simulate(spec, &rows);
  }

  /// Returns the longest time of a request that was completed.
  TimeNs longest() const {
    TimeNs longest = 0;
    for (const RequestRow& row : rows.request_rows)
      if (row.outcome != Outcome::kDropped) longest = std::max(longest, row.end_ns - row.sent_ns);
    return longest;
  }

  testing::RowKeeper rows;
  RunRecord record;
};

Pipeline one_task() { return tree({{"only", {}, {variant("a", 1)}}}); }
Pipeline two_tasks() {
  return tree({{"first", {"second"}, {variant("a", 1, {1})}}, {"second", {}, {variant("b", 1)}}});
}

// Request n arrives at 5 n and ends at 10 (n + 1): 5 n + 10 <= 200 for the first 39.
TEST(DroppingEffects, WithoutDroppingTheQueueGrows) {
  for (const char* system : {"loki", "proteus", "hwscaling"}) {
    const Overload run(system, one_task(), {{"early_dropping", "none"}});
    EXPECT_EQ(run.record.in_time, 39U) << system;
    EXPECT_EQ(run.record.dropped, 0U) << system;
    EXPECT_EQ(run.longest(), 5 * kMs * (kRequests - 1) + kExec) << system;
  }
}

// The worker is never idle, and serves only visits that it ends within 2 x 10 ms.
TEST(DroppingEffects, PerTaskAtTheStartServesWithinTheBudget) {
  const std::vector<std::pair<const char*, std::vector<Setting>>> same = {
      {"loki", {{"early_dropping", "per_task"}, {"drop_at", "start"}, {"deadline", "task"}}},
      {"loki", {{"early_dropping", "last_task"}, {"deadline", "task"}}},
      {"loki", {{"early_dropping", "reroute"}, {"drop_at", "start"}, {"deadline", "task"}}},
      {"loki", {{"early_dropping", "per_task"}, {"deadline", "task"}, {"expected_batch", "queued"}}},
      {"proteus", {{"early_dropping", "per_task"}, {"deadline", "task"}, {"task_budget", "execution"}}},
      {"hwscaling", {{"early_dropping", "per_task"}, {"deadline", "task"}}}};
  for (const auto& [system, settings] : same) {
    SCOPED_TRACE(std::string(system) + " " + settings.front().second);
    const Overload run(system, one_task(), settings);
    EXPECT_LE(run.longest(), 2 * kExec);
    EXPECT_EQ(run.record.late, 0U);
    EXPECT_GE(run.record.in_time, static_cast<std::uint64_t>(kRequests * kEvery / kExec));
    EXPECT_LE(run.record.in_time, static_cast<std::uint64_t>(kRequests * kEvery / kExec + 2));
  }
}

// The same, but they wait for as long as the request may: under every rule that has a limit at the last task,
// in all three systems as they are.
TEST(DroppingEffects, TheLastTaskKeepsTheDeadline) {
  const std::vector<std::pair<const char*, std::vector<Setting>>> same = {
      {"loki", {}},
      {"loki", {{"early_dropping", "last_task"}}},
      {"loki", {{"early_dropping", "per_task"}}},
      {"proteus", {}},
      {"proteus", {{"early_dropping", "last_task"}}},
      {"hwscaling", {}}};
  for (const auto& [system, settings] : same) {
    SCOPED_TRACE(system);
    const Overload run(system, one_task(), settings);
    EXPECT_LE(run.longest(), kSlo);
    EXPECT_GT(run.longest(), kSlo - kExec);
    EXPECT_EQ(run.record.late, 0U);
    EXPECT_GE(run.record.in_time, static_cast<std::uint64_t>(kRequests * kEvery / kExec));
  }
}

// Proteus's budget at the first of two tasks is half of the SLO of 200 ms: what has waited 90 ms is served
// yet.
TEST(DroppingEffects, ProteusDividesTheSloByTheTasks) {
  const auto longest_wait = [](const std::vector<Setting>& settings) {
    const Overload run("proteus", two_tasks(), settings);
    TimeNs longest = 0;
    for (const VisitRow& row : run.rows.visit_rows)
      if (row.module == 0 && row.ran()) longest = std::max(longest, row.started_ns - row.arrived_ns);
    return longest;
  };
  EXPECT_GT(longest_wait({}), kSlo / 2 - kExec - kEvery);
  EXPECT_LE(longest_wait({}), kSlo / 2 - kExec);
  EXPECT_LE(longest_wait({{"task_budget", "execution"}}), kExec);
}

// At its end the first task has run all that it drops: 5 n + 10 <= 20 for the first three. Before, half is
// dropped and the worker's time goes to the rest. Last-task dropping frees the second worker alone:
// 5 n + 11 <= 200 for the first 38.
TEST(DroppingEffects, DroppingBeforeATaskRunsFreesItsTime) {
  const auto in_time = [](const std::vector<Setting>& settings) {
    return Overload("loki", two_tasks(), settings).record.in_time;
  };
  EXPECT_EQ(in_time({{"early_dropping", "per_task"}, {"drop_at", "end"}}), 3U);
  EXPECT_EQ(in_time({{"early_dropping", "reroute"}, {"drop_at", "end"}}), 3U) << "no second task is faster";
  EXPECT_EQ(in_time({{"early_dropping", "last_task"}}), 38U);
  EXPECT_EQ(in_time({{"early_dropping", "none"}}), 38U);
  for (const char* rule : {"per_task", "reroute"}) {
    EXPECT_GE(in_time({{"early_dropping", rule}, {"drop_at", "start"}}),
              static_cast<std::uint64_t>(kRequests * kEvery / kExec));
  }
}

}  // namespace
}  // namespace harness

// Loki, Proteus and hardware scaling in simulated runs.
#include "systems/loki/loki.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/sim/simulation.h"
#include "harness/sim/test_tasks.h"
#include "systems/all_systems.h"

namespace harness {
namespace {

using testing::linear_profile;
using testing::poisson_times;
using testing::set_param;
using testing::tree;
using testing::variant;

constexpr const char* kSystems[] = {"loki", "proteus", "hwscaling"};

RunSpec cell_of(const std::string& system, Pipeline pipeline, std::vector<Profile> profiles, int workers,
                double rate_rps, double seconds) {
  RunSpec spec = testing::tree_cell(std::move(pipeline), std::move(profiles), {{{1}}},
                                    poisson_times(rate_rps, s_to_ns(seconds), 3), s_to_ns(seconds));
  spec.system = find_system(system)->make();
  spec.workers = workers;
  spec.slo_ns = ms_to_ns(200);
  spec.world.cold_start_ms = 20;
  return spec;
}

/// Three cars a frame; large and small detectors, large and small classifiers.
Pipeline cars() {
  return tree({{"detect", {"cars"}, {variant("large", 1, {3}), variant("small", 0.5, {3})}},
               {"cars", {}, {variant("b7", 1), variant("b0", 0.8)}}});
}

/// Frames/s of a worker at a batch of 4: 200, 400; cars/s: 286, 800.
std::vector<Profile> car_profiles() {
  return {linear_profile("large", 4, 4, 4), linear_profile("small", 2, 2, 4), linear_profile("b7", 3, 2, 4),
          linear_profile("b0", 1, 1, 4)};
}

/// With workers to spare: a plan for the mean alone runs its workers at load 1, where no queue has a bound.
RunRecord run_with_headroom(RunSpec spec) {
  set_param(spec, "headroom", 1.3);
  return simulate(spec, nullptr);
}

/// Mean accuracy of the completed requests.
double accuracy_of(const RunRecord& record) {
  return record.accuracy_sum / static_cast<double>(record.accuracy_requests);
}

/// Workers of the last plan.
std::uint32_t workers_at_end(const RunRecord& record) {
  std::vector<std::uint32_t> workers(record.modules.size(), 0);
  for (const PlanRow& row : record.plans) workers[row.module] = row.workers;
  std::uint32_t sum = 0;
  for (const std::uint32_t each : workers) sum += each;
  return sum;
}

double share_in_time(const RunRecord& record) {
  return static_cast<double>(record.in_time) / static_cast<double>(record.sent);
}

TEST(LokiRuns, OneVariantHasTheWorkersThatItsDemandNeeds) {
  // 10 ms, one at a time: 100/s a worker, 230/s come.
  const Pipeline pipeline = tree({{"only", {}, {variant("a", 1)}}});
  for (const char* system : {"loki", "hwscaling"}) {
    const RunRecord record =
        simulate(cell_of(system, pipeline, {linear_profile("a", 0, 10, 1)}, 8, 230, 15), nullptr);
    EXPECT_EQ(workers_at_end(record), 3U) << system;
    EXPECT_EQ(record.workers.size(), 3U) << system;
  }
  const RunRecord all =
      simulate(cell_of("proteus", pipeline, {linear_profile("a", 0, 10, 1)}, 8, 230, 15), nullptr);
  EXPECT_EQ(workers_at_end(all), 8U);
}

// 13 plans, each for what was measured: 230/s need three workers of 100/s, those that there are.
TEST(LokiRuns, PlansThatAreEqualStartNoWorker) {
  const Pipeline pipeline = tree({{"only", {}, {variant("a", 1)}}});
  for (const char* system : {"loki", "hwscaling"}) {
    RunSpec spec = cell_of(system, pipeline, {linear_profile("a", 0, 10, 1)}, 8, 230, 14);
    std::vector<TimeNs> times;
    for (TimeNs at = 0; at < s_to_ns(14); at += kNsPerS / 230) times.push_back(at);
    spec.arrivals = std::make_unique<testing::FixedArrivals>(std::move(times), s_to_ns(14));
    set_param(spec, "period_s", 1.0);
    EXPECT_EQ(simulate(spec, nullptr).workers.size(), 3U) << system;
  }
}

// Figure 1: first the servers grow, then accuracy falls; hardware scaling alone runs out of servers
// and serves what it can.
TEST(LokiRuns, ServersGrowThenAccuracyFallsWithDemand) {
  constexpr int kWorkers = 12;
  std::uint32_t servers = 0;
  double accuracy = 1;
  std::vector<double> accuracies;
  for (const double rate_rps : {50.0, 150.0, 300.0, 600.0, 900.0, 1200.0}) {
    SCOPED_TRACE(rate_rps);
    const RunRecord record =
        run_with_headroom(cell_of("loki", cars(), car_profiles(), kWorkers, rate_rps, 8));
    EXPECT_GE(workers_at_end(record), servers);
    EXPECT_LE(accuracy_of(record), accuracy + 0.01);
    EXPECT_GE(share_in_time(record), 0.85);
    servers = workers_at_end(record);
    accuracy = accuracy_of(record);
    accuracies.push_back(accuracy);
    if (servers < kWorkers - 1) {
      EXPECT_GE(accuracy, 0.97) << "while there are servers left";
    }
  }
  EXPECT_EQ(servers, static_cast<std::uint32_t>(kWorkers));
  EXPECT_LT(accuracies.back(), 0.85);
  EXPECT_GT(accuracies[3], 0.79) << "less accurate classifiers come before less accurate detectors";
}

// If servers suffice, Loki scales hardware alone, with the most accurate variants (section 4.1), and has no
// other variant to reroute to. Under one rule of dropping it then makes the same decisions as hardware
// scaling. Plans are for the mean, so that queues grow and visits are dropped.
TEST(LokiRuns, IsHardwareScalingWhereOnlyHardwareScales) {
  std::uint64_t dropped = 0;
  for (const double rate_rps : {60.0, 150.0, 300.0, 450.0}) {
    SCOPED_TRACE(rate_rps);
    const RunRecord loki = simulate(cell_of("loki", cars(), car_profiles(), 12, rate_rps, 20), nullptr);
    const RunRecord other = simulate(cell_of("hwscaling", cars(), car_profiles(), 12, rate_rps, 20), nullptr);
    ASSERT_LT(workers_at_end(loki), 12U) << "still its first phase";
    EXPECT_EQ(loki.fingerprint, other.fingerprint);
    EXPECT_EQ(loki.in_time, other.in_time);
    dropped += loki.dropped;
  }
  EXPECT_GT(dropped, 0U) << "or the rules were not asked";
}

TEST(LokiRuns, CarriesWhatHardwareScalingCannot) {
  // The most accurate variants carry 12 / (1/200 + 3/286) = 776 frames/s with fractions of workers.
  const auto at = [](const char* system, double rate_rps) {
    return run_with_headroom(cell_of(system, cars(), car_profiles(), 12, rate_rps, 8));
  };
  const RunRecord loki = at("loki", 1100);
  const RunRecord hwscaling = at("hwscaling", 1100);
  EXPECT_GE(share_in_time(loki), 0.85);
  EXPECT_LE(share_in_time(hwscaling), 776.0 / 1100);
  EXPECT_GE(accuracy_of(hwscaling), 1 - 1e-12);
  RunSpec few = cell_of("hwscaling", cars(), car_profiles(), 12, 300, 8);
  set_param(few, "routing", std::string("dispatch"));
  EXPECT_GE(share_in_time(run_with_headroom(std::move(few))), 0.95);
}

TEST(LokiRuns, FollowsARamp) {
  std::vector<TimeNs> times;
  for (int step = 0; step < 4; ++step) {
    for (const TimeNs at : poisson_times(100 + 200 * step, 10 * kNsPerS, static_cast<std::uint64_t>(step)))
      times.push_back(at + step * 10 * kNsPerS);
  }
  RunSpec spec = cell_of("loki", cars(), car_profiles(), 12, 100, 40);
  spec.arrivals = std::make_unique<testing::FixedArrivals>(std::move(times), 40 * kNsPerS);
  set_param(spec, "early_dropping", std::string("last_task"));
  const RunRecord record = run_with_headroom(std::move(spec));
  EXPECT_GE(share_in_time(record), 0.8);
  // The plan needs 2.0 workers for 130/s at 8 s: 130 (1/200 + 3/286). For 910/s at the end it needs more than
  // the 12 there are.
  std::vector<std::uint32_t> early(4, 0);
  for (const PlanRow& row : record.plans) {
    if (row.at_ns < 8 * kNsPerS) early[row.module] = row.workers;
  }
  EXPECT_GE(early[0] + early[2], 2U);
  EXPECT_LE(early[0] + early[2], 4U);
  EXPECT_GE(workers_at_end(record), 11U);
}

TEST(LokiRuns, RulesOfEarlyDroppingDropWhatTheySay) {
  const auto dropped = [](const char* rule, const char* at = "end") {
    RunSpec spec = cell_of("loki", cars(), car_profiles(), 4, 700, 8);
    set_param(spec, "early_dropping", std::string(rule));
    set_param(spec, "drop_at", std::string(at));
    const RunRecord record = simulate(spec, nullptr);
    std::uint64_t over_budget = 0;
    std::uint64_t late = 0;
    for (const ModuleTotals& module : record.modules) {
      over_budget += module.dropped[static_cast<std::size_t>(DropReason::kOverBudget)];
      late += module.dropped[static_cast<std::size_t>(DropReason::kEstimatedLate)];
    }
    return std::pair(over_budget > 0, late > 0);
  };
  EXPECT_EQ(dropped("none"), std::pair(false, false));
  EXPECT_EQ(dropped("last_task"), std::pair(false, true));
  EXPECT_EQ(dropped("per_task"), std::pair(true, false));
  EXPECT_EQ(dropped("reroute"), std::pair(true, false));
  EXPECT_EQ(dropped("none", "start"), std::pair(false, false));
  EXPECT_EQ(dropped("last_task", "start"), std::pair(false, true));
  EXPECT_EQ(dropped("per_task", "start"), std::pair(true, true));
  EXPECT_EQ(dropped("reroute", "start"), std::pair(true, true));
}

TEST(LokiRuns, PlainPipelinesAreTasksOfOneVariant) {
  for (const char* system : kSystems) {
    RunSpec spec = cell_of(system, testing::chain(2),
                           {linear_profile("a", 2, 8, 8), linear_profile("b", 2, 8, 8)}, 6, 100, 8);
    const RunRecord record = simulate(spec, nullptr);
    EXPECT_GE(share_in_time(record), 0.99) << system;
    EXPECT_EQ(workers_at_end(record), std::string(system) == "proteus" ? 6U : 2U) << system;
  }
}

}  // namespace
}  // namespace harness

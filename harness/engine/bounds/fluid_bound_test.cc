// The fluid bound against its definition: brute force over all subsets of small cases.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <utility>
#include <vector>

#include "harness/core/test_time.h"
#include "harness/engine/bounds/capacity_curve.h"
#include "harness/engine/bounds/fluid_bound.h"
#include "harness/sim/simulation.h"
#include "harness/sim/test_groups.h"
#include "harness/sim/test_world.h"

namespace harness {
namespace {

using testing::linear_profile;

struct Window {
  double release;
  double deadline;
};

/// The numbers of workers over time: {from ms, workers}.
using WorkerSteps = std::vector<std::pair<double, int>>;

double work_between(const WorkerSteps& steps, double rate, double from, double to) {
  double work = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double end = i + 1 < steps.size() ? steps[i + 1].first : 1e12;
    const double overlap = std::min(to, end) - std::max(from, steps[i].first);
    if (overlap > 0) work += overlap * rate * steps[i].second;
  }
  return work;
}

/// True if the subset of unit jobs fits a fluid server: in every interval, the jobs whose windows lie in it
/// need no more work than the server offers there.
bool feasible(const std::vector<Window>& windows, unsigned subset, const WorkerSteps& steps, double rate) {
  for (const Window& first : windows) {
    for (const Window& last : windows) {
      if (first.release >= last.deadline) continue;
      int confined = 0;
      for (std::size_t i = 0; i < windows.size(); ++i) {
        const bool inside = windows[i].release >= first.release && windows[i].deadline <= last.deadline;
        if ((subset >> i & 1u) != 0 && inside) ++confined;
      }
      if (confined > work_between(steps, rate, first.release, last.deadline) + 1e-9) return false;
    }
  }
  for (std::size_t i = 0; i < windows.size(); ++i) {
    if ((subset >> i & 1u) != 0 && windows[i].release > windows[i].deadline) return false;
  }
  return true;
}

TEST(FluidBound, EqualsBruteForceOverSubsets) {
  RandomStream random(3, "fluid_bound_test");
  for (int round = 0; round < 200; ++round) {
    const int jobs = 3 + static_cast<int>(random.below(8));
    const double exec_ms = 4.0 + static_cast<double>(random.below(10));
    const double slo_ms = exec_ms + 1.0 + static_cast<double>(random.below(25));
    std::vector<TimeNs> times;
    for (int i = 0; i < jobs; ++i) times.push_back(ms_to_ns(static_cast<double>(random.below(40))));
    std::sort(times.begin(), times.end());
    RunSpec spec = testing::make_spec("naive", testing::chain(1), {linear_profile("m", 0, exec_ms, 2)},
                                      {{2, 1}}, ms_to_ns(slo_ms), times, kNsPerS);
    RunRecord record;
    record.sent = static_cast<std::uint64_t>(jobs);
    record.modules.resize(1);
    const WorkerSteps steps = {
        {0.0, 1 + static_cast<int>(random.below(2))}, {11.0, static_cast<int>(random.below(3))}, {23.0, 1}};
    for (const auto& [from_ms, workers] : steps) {
      record.plans.push_back(
          {ms_to_ns(from_ms), 0, static_cast<std::uint32_t>(workers), 2, ms_to_ns(exec_ms)});
    }
    std::vector<Window> windows;
    for (const TimeNs time : times) windows.push_back({ns_to_ms(time), ns_to_ms(time) + slo_ms});
    int best = 0;
    for (unsigned subset = 0; subset < (1u << jobs); ++subset) {
      const int size = std::popcount(subset);
      if (size > best && feasible(windows, subset, steps, 2.0 / exec_ms)) best = size;
    }
    EXPECT_EQ(fluid_bound(spec, record), static_cast<std::uint64_t>(best)) << "round " << round;
  }
}

RunRecord plan_record(std::size_t modules, std::uint64_t sent, std::vector<PlanRow> rows) {
  RunRecord record;
  record.sent = sent;
  record.modules.resize(modules);
  record.plans = std::move(rows);
  return record;
}

TEST(FluidBound, CountsTheNetworkDelayOfEveryHop) {
  // Execution 10 and 20 ms, two hops of 3 ms: 36 ms at least.
  RunSpec spec = testing::make_spec("naive", testing::chain(2),
                                    {linear_profile("a", 0, 10, 1), linear_profile("b", 0, 20, 1)},
                                    {{1, 1}, {1, 1}}, ms_to_ns(35), {0}, kNsPerS);
  spec.world.network_delay_ms = 3;
  EXPECT_EQ(fluid_bound(spec, plan_record(2, 1, {{0, 0, 1, 1, ms_to_ns(10)}, {0, 1, 1, 1, ms_to_ns(20)}})),
            0u);
  spec.slo_ns = ms_to_ns(36);
  EXPECT_EQ(fluid_bound(spec, plan_record(2, 1, {{0, 0, 1, 1, ms_to_ns(10)}, {0, 1, 1, 1, ms_to_ns(20)}})),
            1u);
}

TEST(FluidBound, RejectsWhatNoWindowCanHold) {
  RunSpec spec = testing::make_spec("naive", testing::chain(2),
                                    {linear_profile("a", 0, 10, 1), linear_profile("b", 0, 20, 1)},
                                    {{1, 1}, {1, 1}}, ms_to_ns(29), {0}, kNsPerS);
  EXPECT_EQ(fluid_bound(spec, plan_record(2, 1, {{0, 0, 1, 1, ms_to_ns(10)}, {0, 1, 1, 1, ms_to_ns(20)}})),
            0u);
  spec.slo_ns = ms_to_ns(30);
  EXPECT_EQ(fluid_bound(spec, plan_record(2, 1, {{0, 0, 1, 1, ms_to_ns(10)}, {0, 1, 1, 1, ms_to_ns(20)}})),
            1u);
}

TEST(FluidBound, IsTheLeastOverTheModules) {
  // 100 requests at once, SLO 1000 ms. Module 0: 10 ms each, window 0..980: 98. Module 1: 20 ms,
  // window 10..1000: 49.
  std::vector<TimeNs> times(100, 0);
  RunSpec spec = testing::make_spec("naive", testing::chain(2),
                                    {linear_profile("a", 0, 10, 1), linear_profile("b", 0, 20, 1)},
                                    {{1, 1}, {1, 1}}, ms_to_ns(1000), times, kNsPerS);
  EXPECT_EQ(fluid_bound(spec, plan_record(2, 100, {{0, 0, 1, 1, ms_to_ns(10)}, {0, 1, 1, 1, ms_to_ns(20)}})),
            49u);
  EXPECT_EQ(fluid_bound(spec, plan_record(2, 100, {{0, 0, 1, 1, ms_to_ns(10)}, {0, 1, 4, 1, ms_to_ns(20)}})),
            98u);
}

TEST(CapacityCurve, IsTheBottleneckAtEachTime) {
  const RunRecord record = plan_record(
      2, 0, {{0, 0, 2, 4, ms_to_ns(10)}, {0, 1, 1, 4, ms_to_ns(10)}, {kNsPerS, 1, 3, 4, ms_to_ns(10)}});
  const CapacityCurve curve(testing::chain(2), record);
  EXPECT_DOUBLE_EQ(curve.at(0), 400);
  EXPECT_DOUBLE_EQ(curve.at(kNsPerS - 1), 400);
  EXPECT_DOUBLE_EQ(curve.at(kNsPerS), 800);
}

}  // namespace

// The bound for workers that serve several modules (engine/bounds/fluid_bound.h).

namespace {

/// Returns a cell with one worker for a (1 ms per visit, for any batch) and b (10 ms); `a` and `b` requests
/// are sent evenly over a second, due after 100 ms.
RunSpec one_worker(int a, int b, std::vector<WorkerGroup> groups = {{1, {0, 1}}}) {
  int workers = 0;
  for (const WorkerGroup& group : groups) workers += group.workers;
  RunSpec spec = testing::independent_cell(
      {testing::linear_profile("a", 1, 0, 8), testing::linear_profile("b", 10, 0, 8)},
      {{0, 100 * kMs, 0}, {1, 100 * kMs, 0}}, workers,
      std::make_unique<testing::GroupSystem>(std::move(groups), 0.0));
  std::vector<std::pair<TimeNs, StreamId>> sent;
  for (int i = 0; i < a; ++i) sent.emplace_back(kNsPerS / a * i, 0);
  for (int i = 0; i < b; ++i) sent.emplace_back(kNsPerS / b * i, 1);
  spec.arrivals = testing::arrivals_of(std::move(sent), kNsPerS);
  return spec;
}

std::uint64_t bound_of(const RunSpec& spec) { return fluid_bound(spec, simulate(spec, nullptr)); }

TEST(SharedTime, IsDividedAmongTheModulesCheapestFirst) {
  // The last request, the 500th of a, is due at 1.098 s. They take 0.5 s together; 59 of b fit into the rest.
  EXPECT_EQ(bound_of(one_worker(500, 100)), 500U + 59U);
}

TEST(SharedTime, GpusWithoutAWorkerDoNothing) {
  RunSpec spec = one_worker(500, 100);
  spec.workers = 10;
  EXPECT_EQ(bound_of(spec), 500U + 59U);
}

TEST(SharedTime, SetsNoLimitToWorkersOfOneModuleEach) {
  EXPECT_EQ(bound_of(one_worker(500, 100, {{1, {0}}, {1, {1}}})), 600U);
}

TEST(SharedTime, NothingIsInTimeThatIsDueBeforeItsBatchCanEnd) {
  RunSpec spec = one_worker(500, 50);
  spec.streams[1].slo_ns = 9 * kMs;
  EXPECT_EQ(bound_of(spec), 500U);
}

}  // namespace
}  // namespace harness

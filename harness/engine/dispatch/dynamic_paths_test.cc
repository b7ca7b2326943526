// Requests that take one branch of several (PARD section 5.2): the life cycle by hand, the planner, the
// bound.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/core/routes.h"
#include "harness/engine/bounds/capacity_curve.h"
#include "harness/engine/bounds/fluid_bound.h"
#include "harness/engine/dispatch/initial_plan.h"
#include "harness/engine/test_system.h"
#include "harness/serving/sizing_planner.h"
#include "harness/sim/simulation.h"
#include "harness/sim/test_world.h"

namespace harness {
namespace {

using testing::linear_profile;
using testing::RowKeeper;

/// Returns a cell with m0 (10 ms) -> one of {m1 (20), m2 (50)} -> m3 (5) and batches of 1.
RunSpec choice_spec(std::vector<TimeNs> times, testing::DropList drops) {
  RunSpec spec =
      testing::make_spec("naive", testing::diamond_of_one(),
                         {linear_profile("a", 0, 10, 1), linear_profile("b", 0, 20, 1),
                          linear_profile("c", 0, 50, 1), linear_profile("d", 0, 5, 1)},
                         {{1, 1}, {1, 1}, {1, 1}, {1, 1}}, 100 * kNsPerS, std::move(times), 100 * kNsPerS);
  spec.system = std::make_unique<testing::ScriptedSystem>(std::move(drops));
  return spec;
}

/// Returns the branch (1 or 2) that each request of `spec` takes.
std::vector<ModuleId> branches_of(const RunSpec& spec, std::size_t requests) {
  const Routes routes(spec.pipeline, spec.seed);
  std::vector<ModuleId> result;
  for (RequestId id = 0; id < requests; ++id) result.push_back(routes[routes.of(id)].visits(1) ? 1 : 2);
  return result;
}

TEST(DynamicPaths, ARequestTakesOneBranchAndTheMergeWaitsForItAlone) {
  std::vector<TimeNs> times;
  for (int i = 0; i < 40; ++i) times.push_back(i * kNsPerS);
  const RunSpec spec = choice_spec(times, {});
  const std::vector<ModuleId> branches = branches_of(spec, times.size());
  ASSERT_EQ(std::set<ModuleId>(branches.begin(), branches.end()).size(), 2u) << "the seed gives both";
  RowKeeper rows;
  const RunRecord record = simulate(spec, &rows);
  EXPECT_EQ(record.in_time, times.size());
  ASSERT_EQ(rows.request_rows.size(), times.size());
  for (const RequestRow& row : rows.request_rows) {
    const TimeNs took = branches[row.request] == 1 ? ms_to_ns(10 + 20 + 5) : ms_to_ns(10 + 50 + 5);
    EXPECT_EQ(row.end_ns - row.sent_ns, took);
  }
  ASSERT_EQ(rows.visit_rows.size(), 3 * times.size()) << "no visit of the other branch";
  for (const VisitRow& row : rows.visit_rows) {
    if (row.module == 1 || row.module == 2) {
      EXPECT_EQ(row.module, branches[row.request]);
    }
    EXPECT_EQ(row.parent, row.module == 0 ? 0 : row.visit - 1);
  }
}

TEST(DynamicPaths, ADropCountsOnceAndLeavesNothingAtTheMerge) {
  std::vector<TimeNs> times;
  for (int i = 0; i < 20; ++i) times.push_back(i * kNsPerS);
  const std::vector<ModuleId> branches = branches_of(choice_spec(times, {}), times.size());
  // m1 would drop every request; those that take m2 never come there.
  std::set<RequestId> all;
  for (RequestId id = 0; id < times.size(); ++id) all.insert(id);
  const RunRecord record = simulate(choice_spec(times, {{1, all}}), nullptr);
  const auto first = static_cast<std::uint64_t>(std::count(branches.begin(), branches.end(), 1));
  EXPECT_EQ(record.dropped, first);
  EXPECT_EQ(record.in_time, times.size() - first);
  EXPECT_EQ(record.modules[1].arrived, first);
  EXPECT_EQ(record.modules[2].arrived, times.size() - first);
  EXPECT_EQ(record.modules[3].arrived, times.size() - first);
  EXPECT_EQ(record.gpu_invalid_ns, ms_to_ns(10) * static_cast<TimeNs>(first));
}

TEST(DynamicPaths, ADroppedBranchOfOneInAllFailsTheRequest) {
  // m0 -> {m1, m4}, m1 -> one of {m2, m3}, all meet in m5; m4 is slow, m2 and m3 drop what they get.
  const Pipeline pipeline = testing::dynamic_pipelines()[2];
  ASSERT_EQ(pipeline.name, "one_in_all");
  const auto run = [&](testing::DropList drops) {
    std::vector<Profile> profiles(6, linear_profile("m", 0, 10, 1));
    profiles[4] = linear_profile("slow", 0, 100, 1);
    RunSpec spec = testing::make_spec("naive", pipeline, profiles, std::vector<ModuleOverride>(6, {1, 1}),
                                      kNsPerS, {0}, kNsPerS);
    spec.system = std::make_unique<testing::ScriptedSystem>(std::move(drops));
    return simulate(spec, nullptr);
  };
  const RunRecord served = run({});
  EXPECT_EQ(served.in_time, 1u);
  EXPECT_EQ(served.end_ns, ms_to_ns(10 + 100 + 10)) << "the merge waits for m4 and the one taken";
  EXPECT_EQ(served.gpu_ns, ms_to_ns(10 + 10 + 10 + 100 + 10));
  const RunRecord dropped = run({{2, {0}}, {3, {0}}});
  EXPECT_EQ(dropped.dropped, 1u);
  EXPECT_EQ(dropped.modules[5].arrived, 0u);
  EXPECT_EQ(dropped.gpu_invalid_ns, ms_to_ns(10 + 10 + 100)) << "m4 was running";
}

TEST(DynamicPaths, EverySystemSeesTheSameChoices) {
  std::map<RequestId, ModuleId> chosen;
  for (const SystemEntry& entry : all_systems()) {
    RunSpec spec = choice_spec(testing::poisson_times(10, 20 * kNsPerS, 2), {});
    spec.system = entry.make();
    RowKeeper rows;
    simulate(spec, &rows);
    for (const VisitRow& row : rows.visit_rows) {
      if (row.module != 1 && row.module != 2) continue;
      EXPECT_EQ(chosen.emplace(row.request, row.module).first->second, row.module) << entry.name;
    }
  }
}

// m0 (10 ms) -> m1 (20 ms), m2 (50 ms), each for some; the merge m3 (5 ms) waits for those taken; where none
// is, the request ends with m0.
TEST(DynamicPaths, ARequestTakesAnyOfItsBranchesAndMayEndEarly) {
  std::vector<TimeNs> times;
  for (int i = 0; i < 60; ++i) times.push_back(i * kNsPerS);
  RunSpec spec = choice_spec(times, {});
  ASSERT_EQ(choose_each(spec.pipeline, "m0", {"m1", "m2"}, {0.5, 0.4}), "");
  const Routes routes(spec.pipeline, spec.seed);
  RowKeeper rows;
  const RunRecord record = simulate(spec, &rows);
  EXPECT_EQ(record.in_time, times.size());
  ASSERT_EQ(rows.request_rows.size(), times.size());
  std::set<TimeNs> lengths;
  std::size_t visits = 0;
  for (const RequestRow& row : rows.request_rows) {
    const Route& route = routes[routes.of(row.request)];
    const TimeNs branch = ms_to_ns(route.visits(2) ? 50 : route.visits(1) ? 20 : 0);
    const TimeNs took = ms_to_ns(10) + branch + (branch > 0 ? ms_to_ns(5) : 0);
    EXPECT_EQ(row.end_ns - row.sent_ns, took);
    EXPECT_EQ(row.module, branch > 0 ? 3 : 0);
    lengths.insert(took);
    for (ModuleId m = 0; m < 4; ++m) visits += route.visits(m) ? 1U : 0U;
  }
  EXPECT_EQ(lengths, (std::set<TimeNs>{ms_to_ns(10), ms_to_ns(35), ms_to_ns(65)})) << "the seed gives all";
  EXPECT_EQ(rows.visit_rows.size(), visits);
}

// A cascade: every request at m0, a share of them at m1; a chain otherwise.
TEST(DynamicPaths, ACascadeSendsAShareOn) {
  std::vector<TimeNs> times;
  for (int i = 0; i < 40; ++i) times.push_back(i * kNsPerS);
  RunSpec spec = testing::make_spec("naive", testing::chain(2),
                                    {linear_profile("a", 0, 10, 1), linear_profile("b", 0, 20, 1)},
                                    {{1, 1}, {1, 1}}, 100 * kNsPerS, times, 100 * kNsPerS);
  ASSERT_EQ(choose_each(spec.pipeline, "m0", {"m1"}, {0.3}), "");
  const Routes routes(spec.pipeline, spec.seed);
  RowKeeper rows;
  const RunRecord record = simulate(spec, &rows);
  EXPECT_EQ(record.modules[1].visit_ratio, 0.3);
  std::uint64_t further = 0;
  for (const RequestRow& row : rows.request_rows) {
    const bool goes_on = routes[routes.of(row.request)].visits(1);
    further += goes_on ? 1U : 0U;
    EXPECT_EQ(row.end_ns - row.sent_ns, ms_to_ns(goes_on ? 30 : 10));
  }
  EXPECT_GT(further, 0u);
  EXPECT_LT(further, times.size());
  EXPECT_EQ(record.modules[1].done, further);
}

TEST(DynamicPlan, WorkersFollowTheVisits) {
  // 100 visits/s per worker everywhere; m0 -> one of {m1 (1/4), m2 (3/4)} -> m3: 12 workers serve 400
  // requests/s as 4, 1, 3, 4.
  RunSpec spec =
      testing::make_spec("naive", testing::diamond(), std::vector<Profile>(4, linear_profile("m", 0, 10, 1)),
                         {}, ms_to_ns(100), {0}, kNsPerS);
  ASSERT_EQ(choose_one(spec.pipeline, "m0", {"m1", "m2"}, {1, 3}), "");
  spec.workers = 12;
  const auto workers_of = [](const Plan& plan) {
    std::vector<int> workers;
    for (const ModulePlan& module : plan.modules) workers.push_back(module.workers);
    return workers;
  };
  const Plan balanced = initial_plan(spec, 1);
  EXPECT_EQ(workers_of(balanced), (std::vector<int>{4, 1, 3, 4}));
  EXPECT_DOUBLE_EQ(capacity_rps(make_context(spec), balanced), 400);
  spec.planner.workers = WorkerRule::kRate;
  EXPECT_EQ(workers_of(initial_plan(spec, 300)), (std::vector<int>{3, 1, 3, 3}));
  spec.workers = 100;
  EXPECT_EQ(workers_of(initial_plan(spec, 1000)), (std::vector<int>{10, 3, 8, 10}));
  // Workers are planned as if all requests took both branches; the plan's capacity counts the requests that
  // do.
  spec.planner.branch_shares = BranchShares::kUnknown;
  EXPECT_EQ(workers_of(initial_plan(spec, 300)), (std::vector<int>{3, 3, 3, 3}));
  spec.planner.workers = WorkerRule::kBalanced;
  spec.workers = 12;
  const Plan blind = initial_plan(spec, 1);
  EXPECT_EQ(workers_of(blind), (std::vector<int>{3, 3, 3, 3}));
  EXPECT_DOUBLE_EQ(capacity_rps(make_context(spec), blind), 300);
}

// A cascade: a tenth goes on to m1. Batches of one take 20 ms, and 2 x 24 ms is the SLO: m0 (10, 14 ms) would
// save 3 ms a request for 4 ms more, m1 (10, 12 ms) 4 ms a visit for 2 ms more. Both do not fit.
TEST(DynamicPlan, BatchesFollowTheVisits) {
  const Profile first = linear_profile("a", 4, 6, 2);
  const Profile second = linear_profile("b", 2, 8, 2);
  RunSpec spec =
      testing::make_spec("naive", testing::chain(2), {first, second}, {}, ms_to_ns(48), {0}, kNsPerS);
  ASSERT_EQ(choose_each(spec.pipeline, "m0", {"m1"}, {0.1}), "");
  EXPECT_EQ(size_batches(make_context(spec), spec.planner, {}), (std::vector<int>{2, 1})) << "3/4 > 0.4/2";
  spec.planner.branch_shares = BranchShares::kUnknown;
  EXPECT_EQ(size_batches(make_context(spec), spec.planner, {}), (std::vector<int>{1, 2})) << "3/4 < 4/2";
}

TEST(DynamicPlan, CapacityOverTimeCountsVisits) {
  RunSpec spec = choice_spec({0}, {});
  ASSERT_EQ(choose_one(spec.pipeline, "m0", {"m1", "m2"}, {1, 3}), "");
  RunRecord record = simulate(spec, nullptr);
  EXPECT_EQ(record.modules[2].visit_ratio, 0.75);
  record.plans.clear();
  for (ModuleId m = 0; m < 4; ++m) record.plans.push_back({0, m, 2, 1, ms_to_ns(10)});
  record.plans.push_back({kNsPerS, 2, 1, 1, ms_to_ns(10)});
  const CapacityCurve curve(spec.pipeline, record);
  EXPECT_DOUBLE_EQ(curve.at(0), 200);
  EXPECT_DOUBLE_EQ(curve.at(kNsPerS), 100 / 0.75);
}

TEST(DynamicBound, CountsThoseElsewhereAsInTime) {
  // 200 requests come at once, with an SLO of 1000 ms. Module 2 takes 50 ms each: 19 of the requests that
  // visit it fit between 10 and 995 ms; all others may end in time. m0, m1 and m3 have workers enough.
  RunSpec spec = choice_spec(std::vector<TimeNs>(200, 0), {});
  spec.slo_ns = kNsPerS;
  const std::vector<ModuleId> branches = branches_of(spec, 200);
  const auto elsewhere = static_cast<std::uint64_t>(std::count(branches.begin(), branches.end(), 1));
  RunRecord record;
  record.sent = 200;
  record.modules.resize(4);
  for (ModuleId m = 0; m < 4; ++m) {
    record.plans.push_back({0, m, m == 2 ? 1u : 100u, 1, spec.profiles[m].latency(1)});
  }
  EXPECT_EQ(fluid_bound(spec, record), elsewhere + 19);
}

TEST(DynamicBound, TakesTheShortestTimesOfTheRoutesThatVisitAModule) {
  // m0 -> one of {m1 -> m2, m2}: 10 + 20 + 5 ms or 10 + 5 ms. With an SLO of 20 ms m2 has the window of the
  // direct edge, and no request fits at m1.
  RunSpec spec = testing::make_spec(
      "naive", testing::dynamic_pipelines()[3],
      {linear_profile("a", 0, 10, 1), linear_profile("b", 0, 20, 1), linear_profile("c", 0, 5, 1)},
      std::vector<ModuleOverride>(3, {1, 1}), ms_to_ns(20), {}, kNsPerS);
  std::vector<TimeNs> times;
  for (int i = 0; i < 60; ++i) times.push_back(i * ms_to_ns(100));
  spec.arrivals = std::make_unique<testing::FixedArrivals>(times, 10 * kNsPerS);
  const RunRecord record = simulate(spec, nullptr);
  const Routes routes(spec.pipeline, spec.seed);
  std::uint64_t direct = 0;
  for (RequestId id = 0; id < times.size(); ++id) direct += routes[routes.of(id)].visits(1) ? 0u : 1u;
  EXPECT_EQ(record.in_time, direct);
  EXPECT_EQ(fluid_bound(spec, record), direct);
}

}  // namespace
}  // namespace harness

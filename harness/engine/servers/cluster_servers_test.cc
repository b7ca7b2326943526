// Clusters of servers: where instances start, from what, and with how many cores they run.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "harness/core/archive.h"
#include "harness/engine/servers/test_servers.h"
#include "harness/sim/test_random_cells.h"
#include "harness/sim/test_run.h"

namespace harness {
namespace {

using testing::fault_of;
using testing::Ran;
using testing::server_spec;
using testing::ServerStep;
using testing::ServerSystem;

double start_up_ms(const WorkerTotals& worker) { return ns_to_ms(worker.ready_ns - worker.added_ns); }

constexpr double kBertStageMb = 43000.0 / 8;

// An eighth of BERT's 43 GB: 45 s / 8 from disk, 0.8 s from memory (QUART, sections 2.2 and 4.2).
TEST(ServerStarts, AreFromMemoryWhereTheServerKeepsTheParameters) {
  const std::vector<ServerStep> steps = {
      {0, {1}}, {2 * kNsPerS, {2}}, {10 * kNsPerS, {1}}, {12 * kNsPerS, {2}}};
  const auto other_server = [](TimeNs now) { return now < kNsPerS ? 0u : 1u; };
  const Ran ran(server_spec({kBertStageMb}, {2, 0, 0, 0}, 2, steps, true, other_server));
  ASSERT_EQ(ran.record.workers.size(), 3u);
  EXPECT_FALSE(ran.record.workers[0].from_memory) << "warm";
  EXPECT_FALSE(ran.record.workers[1].from_memory) << "kept on another server";
  EXPECT_DOUBLE_EQ(start_up_ms(ran.record.workers[1]), 200 + 5625);
  EXPECT_TRUE(ran.record.workers[2].from_memory) << "kept since the one before has left";
  EXPECT_DOUBLE_EQ(start_up_ms(ran.record.workers[2]), 200 + 800);

  const Ran alone(server_spec({kBertStageMb}, {2, 0, 0, 0}, 2, steps, false));
  for (const WorkerTotals& worker : alone.record.workers) EXPECT_FALSE(worker.from_memory);
  EXPECT_DOUBLE_EQ(start_up_ms(alone.record.workers[2]), 5825) << "without a placement nothing is kept";
}

// Table 1, an eighth of each: 45 s and 0.8 x 8 s for 43 GB.
TEST(ServerStarts, AreThoseOfTable1) {
  for (const double model_gb : {2.9, 43.0, 14.0, 132.0, 16.0}) {
    const Ran ran(
        server_spec({model_gb * 1000 / 8}, {2, 0, 0, 0}, 2, {{0, {0}}, {kNsPerS, {1}}, {20 * kNsPerS, {2}}}));
    ASSERT_EQ(ran.record.workers.size(), 2u);
    EXPECT_NEAR(start_up_ms(ran.record.workers[0]), 200 + model_gb / 8 / 43 * 45'000, 1e-5);
    EXPECT_NEAR(start_up_ms(ran.record.workers[1]), 200 + model_gb / 43 * 800, 1e-5);
  }
}

// 20 GB, four modules of 6 GB, one at a time. With the third 18 GB are in use, more than 85 %: the first
// goes. It is read from disk again, and the second goes. The third is still there; beside its copy it needs 6
// GB.
TEST(ServerMemory, TheLeastRecentlyUsedGoesAbove85Percent) {
  const std::vector<ServerStep> steps = {{0, {1, 0, 0}},
                                         {kNsPerS, {0, 1, 0}},
                                         {10 * kNsPerS, {0, 0, 1}},
                                         {20 * kNsPerS, {1, 0, 0}},
                                         {30 * kNsPerS, {0, 0, 1}}};
  const Ran ran(server_spec({6000, 6000, 6000}, {4, 0, 20'000, 0}, 1, steps));
  ASSERT_EQ(ran.record.workers.size(), 5u);
  const std::vector<std::uint16_t> modules = {0, 1, 2, 0, 2};
  for (std::size_t i = 0; i < modules.size(); ++i) {
    EXPECT_EQ(ran.record.workers[i].module, modules[i]);
    EXPECT_EQ(ran.record.workers[i].from_memory, i == 4) << i;
  }
}

// The same in 19 GB with three of 7: the third has room only when the first has gone.
TEST(ServerMemory, ACopyMakesRoomForAnInstance) {
  const std::vector<ServerStep> steps = {
      {0, {1, 0, 0}}, {kNsPerS, {0, 1, 0}}, {12 * kNsPerS, {0, 0, 1}}, {24 * kNsPerS, {1, 0, 0}}};
  const Ran ran(server_spec({7000, 7000, 7000}, {4, 0, 19'000, 0}, 1, steps));
  ASSERT_EQ(ran.record.workers.size(), 4u);
  EXPECT_EQ(ran.record.workers[2].added_ns, 12 * kNsPerS);
  EXPECT_FALSE(ran.record.workers[3].from_memory);
}

// 10 GB hold one instance of 6 without a placement: the second waits for the first to leave.
TEST(ServerMemory, AnInstanceWaitsForMemory) {
  const std::vector<ServerStep> steps = {{0, {1, 0}}, {3 * kNsPerS, {1, 1}}, {7 * kNsPerS, {0, 1}}};
  const Ran ran(server_spec({6000, 6000}, {4, 0, 10'000, 0}, 1, steps, false));
  ASSERT_EQ(ran.record.workers.size(), 2u);
  EXPECT_EQ(ran.record.workers[1].added_ns, 7 * kNsPerS);
}

TEST(ServerMemory, AServerThatStopsLosesItAndOneWithAGpuLeftDoesNot) {
  for (const int stopped : {1, 2}) {
    RunSpec spec = server_spec({kBertStageMb}, {2, 0, 0, 0}, 1, {{0, {1}}});
    spec.faults = {fault_of(FaultKind::kStop, 4250, 1000, 0, stopped)};
    const Ran ran(spec);
    ASSERT_EQ(ran.record.workers.size(), 2u);
    EXPECT_EQ(ran.record.workers[0].removed_ns, ms_to_ns(4250));
    EXPECT_EQ(ran.record.workers[1].from_memory, stopped == 1);
    EXPECT_DOUBLE_EQ(start_up_ms(ran.record.workers[1]), stopped == 1 ? 1000 : 5825);
  }
}

// Two servers of four: m0 twice and m1, which takes three, on the other server. A second m1 fits once an m0
// has left. A fault of one of its GPUs loses the first m1.
TEST(ServerGpus, AnInstanceTakesSeveralOfOneServer) {
  RunSpec spec = server_spec({1, 1}, {4, 0, 0, 0}, 2,
                             {{0, {2, 1}}, {5 * kNsPerS, {2, 2}}, {9 * kNsPerS, {1, 2}}}, false);
  spec.profiles[1].gpus = 3;
  spec.devices = {{"gpu", 8, 2.0, {spec.profiles[0], spec.profiles[1]}}};
  spec.faults = {fault_of(FaultKind::kStop, 15250, 1000, 5)};
  const Ran ran(spec);
  ASSERT_EQ(ran.record.workers.size(), 5u);
  EXPECT_EQ(ran.record.workers[2].gpus, 3);
  EXPECT_EQ(ran.record.workers[2].usd_per_h, 6);
  TimeNs gpu_ns = 0;
  for (const WorkerTotals& worker : ran.record.workers) gpu_ns += worker.busy_ns * worker.gpus;
  EXPECT_EQ(ran.record.gpu_ns, gpu_ns);
  EXPECT_GT(gpu_ns, 40 * 3 * ms_to_ns(10)) << "of three GPUs for each batch of the second";
  EXPECT_EQ(ran.record.plans[1].module, 1);
  EXPECT_EQ(ran.record.plans[1].usd_per_h, 6) << "of all its GPUs";
  EXPECT_EQ(ran.record.workers[3].module, 1);
  EXPECT_EQ(ran.record.workers[3].added_ns, 9 * kNsPerS);
  EXPECT_EQ(ran.record.workers[2].removed_ns, ms_to_ns(15250));
  EXPECT_EQ(ran.record.workers[4].module, 1);
  EXPECT_GE(ran.record.workers[4].added_ns, ms_to_ns(16000)) << "two GPUs are no room for it";
}

// Section 3.4: 66 % of 10 ms with 2 cores divide among cores.
TEST(ServerCores, ExecutionTimesFollowThemFromTheNextBatchOn) {
  RunSpec spec = server_spec({1}, {4, 8, 0, 0}, 2, {{0, {1}, {0}}, {10 * kNsPerS, {1}, {4}}}, false);
  spec.profiles[0].cpu_ns = 13'200'000;
  spec.profiles[0].cores = 2;
  const Ran ran(spec);
  for (const VisitRow& row : ran.rows.visit_rows)
    EXPECT_EQ(row.ended_ns - row.started_ns, row.started_ns < 10 * kNsPerS ? 10'000'000 : 6'700'000);
}

TEST(ServerCores, AreALimit) {
  RunSpec spec = server_spec({1}, {4, 8, 0, 0}, 2, {{0, {5}, {4}}, {10 * kNsPerS, {5}, {2}}}, false);
  spec.profiles[0].cpu_ns = 13'200'000;
  spec.profiles[0].cores = 2;
  const Ran ran(spec);
  ASSERT_EQ(ran.record.workers.size(), 5u);
  EXPECT_EQ(ran.record.workers[3].added_ns, 0) << "two servers of 8 cores hold four with 4";
  EXPECT_EQ(ran.record.workers[4].added_ns, 10 * kNsPerS) << "and more with 2";
  RunSpec too_many = server_spec({1}, {4, 8, 0, 0}, 2, {{0, {2}, {4}}, {10 * kNsPerS, {2}, {5}}}, false);
  too_many.profiles[0].cpu_ns = 13'200'000;
  too_many.profiles[0].cores = 2;
  EXPECT_DEATH(Ran{too_many}, "more cores than it has");
}

TEST(Plans, OfOlderVersionsAreReadAndCoresTravel) {
  Plan plan;
  plan.modules = {{3, 8, 100, 200}, {0, 1, 5, 6}};
  // The plan as older versions wrote it: four numbers for each module, and no groups.
  std::vector<std::byte> before;
  WritingArchive archive(before);
  archive.list(plan.modules, [&](ModulePlan& module) {
    archive.value(module.workers);
    archive.value(module.max_batch);
    archive.value(module.exec_ns);
    archive.value(module.budget_ns);
  });
  archive.list(plan.groups, [](WorkerGroup&) {});
  EXPECT_EQ(packed(plan), before);
  EXPECT_EQ(unpacked<Plan>(before), plan);
  plan.modules[0].cores = 6;
  plan.modules[1].cores = 1;
  EXPECT_EQ(unpacked<Plan>(packed(plan)), plan);
}

// The accounting of servers is checked after every change; these cells have faults, short memory, cores and
// instances of several GPUs.
TEST(ServerBooks, CloseOverRandomPlansFaultsAndPlacements) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    RandomStream random(seed, "test.servers");
    const RunSpec spec = testing::random_server_cell(random);
    const Ran ran(spec);
    for (const WorkerTotals& worker : ran.record.workers)
      EXPECT_TRUE(!worker.from_memory || spec.system->make_placement({}) != nullptr);
  }
}

// Without limits servers change nothing.
TEST(ServerBooks, OfUnlimitedServersChangeNothing) {
  int with_servers = 0;
  for (const SystemEntry* entry : testing::every_system()) {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      std::uint64_t draw = 100 * seed;
      const auto cell = [&](int gpus) {
        RandomStream random(draw, std::string("test.no_servers.") + entry->name);
        RunSpec spec = testing::random_cell(random, *entry);
        testing::add_load(spec, random);
        spec.faults = testing::random_faults(random, spec.workers);
        spec.servers.gpus = gpus;
        return spec;
      };
      const RunSpec without = testing::next_with_a_plan([&] {
        ++draw;
        return cell(0);
      });
      if (without.workers < 2 || !initial_plan(without, 10).groups.empty()) continue;
      ++with_servers;
      const std::uint64_t fingerprint = simulate(without, nullptr).fingerprint;
      EXPECT_EQ(simulate(cell(without.workers), nullptr).fingerprint, fingerprint) << entry->name << seed;
      EXPECT_EQ(simulate(cell(1), nullptr).fingerprint, fingerprint) << entry->name << seed;
    }
  }
  EXPECT_GE(with_servers, 20);
}

}  // namespace
}  // namespace harness

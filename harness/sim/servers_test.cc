// Clusters of servers: where instances start, from what, and with how many cores they run.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "harness/core/archive.h"
#include "harness/sim/simulation.h"
#include "harness/sim/test_random_cells.h"
#include "harness/sim/test_run.h"
#include "harness/sim/test_system.h"
#include "harness/sim/test_world.h"

namespace harness {
namespace {

using testing::fault_of;
using testing::linear_profile;
using testing::Ran;

/// Workers, and perhaps cores, by module, from a time on.
struct ServerStep {
  TimeNs at_ns = 0;
  std::vector<int> workers;
  std::vector<int> cores = {};
};

/// Plans batches of one.
class ServerPlanner final : public Planner {
 public:
  ServerPlanner(const ServingContext& context, std::vector<ServerStep> steps)
      : context_(context), steps_(std::move(steps)) {}
  Plan plan(TimeNs now, const LoadStatistics&, const Plan&) override {
    const ServerStep* step = &steps_.front();
    for (const ServerStep& each : steps_) {
      if (each.at_ns <= now) step = &each;
    }
    Plan plan;
    for (ModuleId m = 0; m < step->workers.size(); ++m) {
      ModulePlan& module = plan.modules.emplace_back();
      module.workers = step->workers[m];
      module.exec_ns = context_.profiles[m]->latency(1);
      if (!step->cores.empty()) module.cores = step->cores[m];
    }
    return plan;
  }

 private:
  const ServingContext& context_;
  std::vector<ServerStep> steps_;
};

/// Keeps what has been there; above 85 % of the memory, and where room lacks, the least recently used goes.
/// Starts on the server that `prefers` says, if there is room, else on the lowest with some.
class LruPlacement final : public Placement {
 public:
  LruPlacement(const ServingContext& context, std::function<std::uint32_t(TimeNs)> prefers)
      : context_(context), prefers_(std::move(prefers)) {}
  std::uint32_t place(TimeNs now, ModuleId module, std::span<const ServerView> servers) override {
    const auto has_room = [&](std::uint32_t server) {
      const ServerView& view = servers[server];
      double mb = view.free_memory_mb;
      for (ModuleId m = 0; m < view.modules.size(); ++m) mb += can_go(view, m) ? size_mb(m) : 0.0;
      return view.free_gpus >= context_.profiles[module]->gpus && mb >= size_mb(module) &&
             view.free_cores >= context_.profiles[module]->cores;
    };
    if (prefers_ && has_room(prefers_(now))) return prefers_(now);
    for (std::uint32_t server = 0; server < servers.size(); ++server) {
      if (has_room(server)) return server;
    }
    return kNoServer;
  }
  void on_started(TimeNs, std::uint32_t, ModuleId module, const ServerView& view,
                  MemoryDecisions& out) override {
    out.keep(module);
    free_up(view, 0.15 * context_.servers.memory_mb - view.free_memory_mb, out);
  }
  void make_room(TimeNs, std::uint32_t, double missing_mb, const ServerView& view,
                 MemoryDecisions& out) override {
    free_up(view, missing_mb, out);
  }

 private:
  double size_mb(ModuleId module) const { return context_.profiles[module]->memory_mb; }
  static bool can_go(const ServerView& view, ModuleId m) {
    return view.modules[m].is_kept && view.modules[m].instances == 0;
  }
  void free_up(const ServerView& view, double mb, MemoryDecisions& out) const {
    std::vector<bool> gone(view.modules.size(), false);
    while (mb > 1e-9) {
      int oldest = -1;
      for (ModuleId m = 0; m < view.modules.size(); ++m) {
        if (gone[m] || !can_go(view, m)) continue;
        if (oldest < 0 || view.modules[m].used_ns < view.modules[static_cast<ModuleId>(oldest)].used_ns)
          oldest = m;
      }
      if (oldest < 0) return;
      const auto module = static_cast<ModuleId>(oldest);
      gone[module] = true;
      out.drop(module);
      mb -= size_mb(module);
    }
  }

  const ServingContext& context_;
  std::function<std::uint32_t(TimeNs)> prefers_;
};

class ServerSystem final : public System {
 public:
  ServerSystem(std::vector<ServerStep> steps, bool has_placement,
               std::function<std::uint32_t(TimeNs)> prefers)
      : steps_(std::move(steps)), has_placement_(has_placement), prefers_(std::move(prefers)) {}
  void list(ParamList&) override {}
  TimeNs replan_period_ns(const ServingContext&) const override { return kNsPerS; }
  std::unique_ptr<Planner> make_planner(const ServingContext& context) const override {
    return std::make_unique<ServerPlanner>(context, steps_);
  }
  std::unique_ptr<Placement> make_placement(const ServingContext& context) override {
    if (!has_placement_) return nullptr;
    return std::make_unique<LruPlacement>(context, prefers_);
  }
  std::unique_ptr<Scheduler> make_scheduler(const ServingContext& context, QueueId queue,
                                            GroupId group) override {
    return fifo_.make_scheduler(context, queue, group);
  }

 private:
  std::vector<ServerStep> steps_;
  bool has_placement_;
  std::function<std::uint32_t(TimeNs)> prefers_;
  testing::ScriptedSystem fifo_{{}};
};

/// Modules of 10 ms and `sizes_mb`; a request in the middle of every second for 40 s; 200 ms for a container.
RunSpec server_spec(const std::vector<double>& sizes_mb, ServerShape servers, int count,
                    std::vector<ServerStep> steps, bool has_placement = true,
                    std::function<std::uint32_t(TimeNs)> prefers = nullptr) {
  std::vector<TimeNs> times;
  for (int i = 0; i < 40; ++i) times.push_back(i * kNsPerS + kNsPerS / 2);
  std::vector<Profile> profiles;
  for (const double mb : sizes_mb) {
    profiles.push_back(linear_profile("m", 0, 10, 1));
    profiles.back().memory_mb = mb;
  }
  RunSpec spec = testing::make_spec("naive", testing::chain(sizes_mb.size()), std::move(profiles),
                                    std::vector<ModuleOverride>(sizes_mb.size(), {1, 1}), kNsPerS,
                                    std::move(times), 40 * kNsPerS);
  spec.servers = servers;
  spec.workers = count * servers.gpus;
  spec.world.cold_start = ColdStart::kCached;
  spec.world.cold_start_ms = 200;
  spec.system = std::make_unique<ServerSystem>(std::move(steps), has_placement, std::move(prefers));
  return spec;
}

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
  // As it was written before: four numbers for each module, and no groups.
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

// Books are checked after every change; here they see faults, short memory, cores and instances of several
// GPUs.
TEST(ServerBooks, CloseOverRandomPlansFaultsAndPlacements) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    RandomStream random(seed, "test.servers");
    const std::size_t modules = 1 + random.below(4);
    std::vector<double> sizes;
    for (std::size_t m = 0; m < modules; ++m) sizes.push_back(100 + 4000 * random.uniform());
    std::vector<ServerStep> steps;
    for (TimeNs at_ns = 0; at_ns < 40 * kNsPerS; at_ns += kNsPerS * (1 + random.below(5))) {
      ServerStep& step = steps.emplace_back();
      step.at_ns = at_ns;
      for (std::size_t m = 0; m < modules; ++m) {
        step.workers.push_back(static_cast<int>(random.below(5)));
        step.cores.push_back(static_cast<int>(random.below(3)));
      }
    }
    const ServerShape shape{4, 8, 4100 + 8000 * random.uniform(), 0};
    RunSpec spec = server_spec(sizes, shape, 1 + static_cast<int>(random.below(3)), steps, false);
    if (random.below(4) > 0) {
      spec.system = std::make_unique<ServerSystem>(steps, true, nullptr);
      spec.servers.cores = 0;  // this placement does not know of planned ones
    }
    for (Profile& profile : spec.profiles) {
      profile.gpus = 1 + static_cast<int>(random.below(3));
      profile.cpu_ns = 10'000'000;
      profile.cores = 2;
    }
    for (int i = 0; i < 3; ++i) {
      const int first = static_cast<int>(random.below(static_cast<std::uint64_t>(spec.workers)));
      const int gpus = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(spec.workers - first)));
      spec.faults.push_back(
          fault_of(FaultKind::kStop, 40e3 * random.uniform(), 1 + 9e3 * random.uniform(), first, gpus));
    }
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

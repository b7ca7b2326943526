// Section 6, by hand and against exhaustive search, without a run.
#include "systems/quart/keys_placement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iomanip>
#include <iostream>

#include "harness/core/random_stream.h"
#include "systems/quart/quart_plan_details.h"

namespace harness {
namespace {

constexpr std::uint32_t kNowhere = Placement::kNoServer;

/// Servers with a placement before them; stages of 10 GB with one GPU. It does not matter who has the GPUs
/// that are not free.
class Cluster {
 public:
  Cluster(std::size_t stages, const std::vector<int>& free_gpus, PlacementParams params = {},
          double memory_mb = 0) {
    profiles_.resize(stages);
    for (Profile& profile : profiles_) {
      profile.memory_mb = 10'000;
      context_.profiles.push_back(&profile);
    }
    context_.servers = {4, 0, memory_mb, 0};
    for (const int gpus : free_gpus) {
      ServerView& view = servers.emplace_back();
      view.free_gpus = gpus;
      if (memory_mb > 0) view.free_memory_mb = memory_mb;
      view.modules.resize(stages);
    }
    placement = make_keys_placement(context_, params);
  }
  /// Announces a plan with these workers and without details, as from a planner that names no key stages.
  void plan_workers(const std::vector<int>& workers) {
    Plan plan;
    for (const int count : workers) plan.modules.push_back({count});
    placement->on_plan(0, plan);
  }
  void plan(const std::vector<ModuleId>& keys) {
    Plan plan;
    plan.modules.resize(profiles_.size());
    QuartPlanDetails details;
    details.is_key.assign(profiles_.size(), 0);
    for (const ModuleId key : keys) details.is_key[key] = 1;
    plan.details = std::make_shared<const QuartPlanDetails>(details);
    placement->on_plan(0, plan);
  }
  std::uint32_t place(ModuleId stage) const { return placement->place(0, stage, servers); }
  void put(std::uint32_t server, ModuleId stage) {
    --servers[server].free_gpus;
    ++servers[server].modules[stage].instances;
  }
  /// Places an instance, starts it there if there is room, and returns the server.
  std::uint32_t start(ModuleId stage) {
    const std::uint32_t server = place(stage);
    if (server != kNowhere) put(server, stage);
    return server;
  }
  void keep(std::uint32_t server, ModuleId stage, TimeNs used_ns = 0) {
    servers[server].modules[stage].is_kept = true;
    servers[server].modules[stage].used_ns = used_ns;
  }

  std::vector<ServerView> servers;
  std::unique_ptr<Placement> placement;

 private:
  std::vector<Profile> profiles_;
  ServingContext context_;
};

std::vector<ModuleId> dropped(const MemoryDecisions& decisions) {
  std::vector<ModuleId> modules;
  for (const auto& [module, keeps] : decisions.list()) {
    if (!keeps) modules.push_back(module);
  }
  return modules;
}
std::vector<ModuleId> kept(const MemoryDecisions& decisions) {
  std::vector<ModuleId> modules;
  for (const auto& [module, keeps] : decisions.list()) {
    if (keeps) modules.push_back(module);
  }
  return modules;
}

TEST(KeysPlacement, PutsKeyStagesWhereMostGpusAreFreeAndPacksOthers) {
  Cluster cluster(3, {2, 4, 1, 3});
  cluster.plan({0});
  EXPECT_EQ(cluster.start(0), 1u);
  EXPECT_EQ(cluster.start(1), 2u) << "least free GPUs";
  EXPECT_EQ(cluster.start(2), 0u);
  EXPECT_EQ(cluster.start(1), 0u);
  EXPECT_EQ(cluster.start(2), 3u) << "not beside the key stage, though as many are free there";
  EXPECT_EQ(cluster.start(0), 1u) << "3 of 4";
  for (int i = 0; i < 2; ++i) EXPECT_EQ(cluster.start(1), 3u);
  EXPECT_EQ(cluster.start(1), 1u) << "no other is free";
  EXPECT_EQ(cluster.start(0), 1u);
  EXPECT_EQ(cluster.start(0), kNowhere);
}

TEST(KeysPlacement, WhereAnotherSystemPlansAStageIsKeyOnceItHasBeenEnlarged) {
  Cluster cluster(3, {2, 4});
  cluster.plan_workers({2, 1, 1});
  for (ModuleId stage = 0; stage < 3; ++stage) EXPECT_EQ(cluster.place(stage), 0u) << "no key stage: packed";
  cluster.plan_workers({1, 2, 1});
  EXPECT_EQ(cluster.place(0), 0u) << "fewer";
  EXPECT_EQ(cluster.place(1), 1u) << "most free GPUs";
  EXPECT_EQ(cluster.place(2), 0u) << "as many";
  cluster.plan_workers({1, 1, 1});
  EXPECT_EQ(cluster.place(1), 1u) << "for the rest of the run";
}

TEST(KeysPlacement, PrefersServersWithTheParameters) {
  Cluster cluster(2, {4, 1, 2, 3});
  cluster.plan({0});
  cluster.keep(1, 0);
  cluster.keep(2, 0);
  cluster.keep(3, 1);
  EXPECT_EQ(cluster.start(0), 2u) << "most GPUs of those";
  EXPECT_EQ(cluster.start(1), 1u) << "no key stage: packed, wherever its parameters are";
  EXPECT_EQ(cluster.start(0), 2u);
  EXPECT_EQ(cluster.start(0), 0u) << "no other has both";
  PlacementParams all;
  all.cache = CachedStages::kAll;
  Cluster of_all(2, {4, 1, 2, 3}, all);
  of_all.plan({0});
  of_all.keep(3, 1);
  EXPECT_EQ(of_all.start(1), 3u);
  PlacementParams lowest;
  lowest.placement = ServerChoice::kFirstFit;
  Cluster first(2, {0, 1, 2, 3}, lowest);
  first.plan({0});
  first.keep(3, 0);
  EXPECT_EQ(first.start(0), 1u);
  EXPECT_EQ(first.start(1), 2u);
}

TEST(KeysPlacement, SpreadsKeyStagesThatOutnumberRoomyServers) {
  Cluster cluster(2, {2, 2, 1});
  cluster.plan({0, 1});
  cluster.keep(0, 0);
  EXPECT_EQ(cluster.start(0), 0u) << "two servers for two stages: where it is kept";
  EXPECT_EQ(cluster.start(0), 1u) << "one left: the fewest of the stage, then most GPUs";
  EXPECT_EQ(cluster.start(0), 2u) << "though 0 has its parameters";
  EXPECT_EQ(cluster.start(0), 0u);
  EXPECT_EQ(cluster.start(0), 1u);
  PlacementParams together;
  together.kl_threshold = 3;  // above log 3, the divergence of all on one
  Cluster stay(3, {4, 4, 4}, together);
  stay.plan({0, 1, 2});
  stay.servers[1].free_gpus = 1;
  stay.put(2, 0);
  stay.put(2, 0);
  EXPECT_EQ(stay.start(0), 2u);
  EXPECT_EQ(stay.start(0), 2u) << "none but where they are";
  EXPECT_EQ(stay.start(0), 0u);
}

TEST(KeysPlacement, CountsServersWithRoomToGrow) {
  for (const int roomy : {1, 2, 3}) {
    PlacementParams params;
    params.roomy_gpus = roomy;
    Cluster cluster(2, {4, 2, 1}, params);
    cluster.plan({0, 1});
    cluster.put(0, 0);
    cluster.servers[0].free_gpus = 4;
    // Spread, it avoids server 0.
    EXPECT_EQ(cluster.start(0), roomy == 3 ? 1u : 0u);
  }
}

TEST(KeysPlacement, NeedsCoresGpusAndMemory) {
  Cluster cluster(2, {1, 1}, {}, 30'000);
  cluster.plan({0});
  cluster.servers[0].free_memory_mb = 9'999.999'999;
  EXPECT_EQ(cluster.place(0), 1u);
  cluster.servers[1].free_cores = -1;
  EXPECT_EQ(cluster.place(0), kNowhere);
  cluster.keep(0, 1);
  EXPECT_EQ(cluster.place(0), 0u) << "a copy can go";
  for (const int why : {0, 1}) {
    cluster.servers[0].modules[1].is_source = why == 0;
    cluster.servers[0].modules[1].is_shared = why == 1;
    EXPECT_EQ(cluster.place(0), kNowhere) << "it cannot, or gives nothing";
  }
}

// 100 GB, of which 85 may be used.
TEST(KeysManager, DropsTheCopiesUsedLongestAgoAbove85Percent) {
  Cluster cluster(6, {4}, {}, 100'000);
  cluster.plan({0});
  for (const ModuleId stage : std::vector<ModuleId>{1, 2, 3, 4, 5}) cluster.keep(0, stage, 10 - stage);
  cluster.servers[0].modules[5].is_source = true;
  cluster.servers[0].modules[4].is_shared = true;
  const auto at = [&](double used_mb) {
    cluster.servers[0].free_memory_mb = 100'000 - used_mb;
    MemoryDecisions out;
    cluster.placement->on_started(0, 0, 0, cluster.servers[0], out);
    EXPECT_EQ(kept(out), std::vector<ModuleId>{0});
    return dropped(out);
  };
  EXPECT_EQ(at(85'000), std::vector<ModuleId>{});
  EXPECT_EQ(at(85'000.001), std::vector<ModuleId>{3}) << "5 is read, 4 gives nothing";
  EXPECT_EQ(at(95'000), std::vector<ModuleId>{3});
  EXPECT_EQ(at(95'000.001), (std::vector<ModuleId>{3, 2}));
  EXPECT_EQ(at(100'000), (std::vector<ModuleId>{3, 2}));
  MemoryDecisions room;
  cluster.placement->make_room(0, 0, 0, 25'000, cluster.servers[0], room);
  EXPECT_EQ(dropped(room), (std::vector<ModuleId>{3, 2, 1})) << "what an instance lacks, and no more";
}

TEST(KeysManager, KeepsKeyStagesOrAllOrNone) {
  for (const CachedStages cache : {CachedStages::kNothing, CachedStages::kKeys, CachedStages::kAll}) {
    PlacementParams params;
    params.cache = cache;
    Cluster cluster(2, {4}, params);
    cluster.plan({1});
    for (const ModuleId stage : std::vector<ModuleId>{0, 1}) {
      const bool is_kept = cache == CachedStages::kAll || (cache == CachedStages::kKeys && stage == 1);
      MemoryDecisions out;
      cluster.placement->on_started(0, 0, stage, cluster.servers[0], out);
      cluster.placement->on_left(0, 0, stage, cluster.servers[0], out);
      EXPECT_EQ(kept(out), std::vector<ModuleId>(is_kept ? 2 : 0, stage));
    }
  }
}

// A stage that has become key since its instance started is kept when the instance leaves: within the limit,
// and others go first. If another instance is left there, the copy takes no memory.
TEST(KeysManager, KeepsWhatHasJustLeft) {
  Cluster cluster(3, {4}, {}, 100'000);
  cluster.plan({0});
  cluster.keep(0, 1);
  const auto at = [&](double used_mb) {
    cluster.servers[0].free_memory_mb = 100'000 - used_mb;
    MemoryDecisions out;
    cluster.placement->on_left(0, 0, 0, cluster.servers[0], out);
    return std::pair(kept(out), dropped(out));
  };
  using Both = std::pair<std::vector<ModuleId>, std::vector<ModuleId>>;
  EXPECT_EQ(at(75'000), (Both{{0}, {}}));
  EXPECT_EQ(at(80'000), (Both{{0}, {1}}));
  EXPECT_EQ(at(86'000), (Both{{}, {1}})) << "it would be above the limit itself";
  cluster.servers[0].modules[0].instances = 1;
  EXPECT_EQ(at(80'000), (Both{{0}, {}}));
}

/// The quality of one way to place instances.
struct Quality {
  int most_of_a_stage = 0;  ///< most instances of one key stage on one server
  int free_beside_keys = 0;
  bool operator<(const Quality& other) const {  // better
    return most_of_a_stage != other.most_of_a_stage ? most_of_a_stage < other.most_of_a_stage
                                                    : free_beside_keys > other.free_beside_keys;
  }
};

struct SmallCase {
  std::vector<int> free_gpus;
  std::vector<ModuleId> keys;
  std::vector<ModuleId> instances;  ///< stage of each instance, in the order in which they start: by stage
  std::size_t stages = 0;
};

Quality quality_of(const SmallCase& small, const std::vector<std::uint32_t>& servers) {
  Quality quality;
  for (std::uint32_t server = 0; server < small.free_gpus.size(); ++server) {
    std::vector<int> count(small.stages, 0);
    for (std::size_t i = 0; i < servers.size(); ++i)
      count[small.instances[i]] += servers[i] == server ? 1 : 0;
    int most = 0;
    for (const ModuleId key : small.keys) most = std::max(most, count[key]);
    quality.most_of_a_stage = std::max(quality.most_of_a_stage, most);
    if (most > 0)
      quality.free_beside_keys +=
          small.free_gpus[server] - static_cast<int>(std::count(servers.begin(), servers.end(), server));
  }
  return quality;
}

Quality best_of(const SmallCase& small) {
  Quality best{1000, 0};
  std::vector<std::uint32_t> servers(small.instances.size(), 0);
  for (;;) {
    bool fits = true;
    for (std::uint32_t server = 0; server < small.free_gpus.size(); ++server)
      fits &= std::count(servers.begin(), servers.end(), server) <= small.free_gpus[server];
    if (fits) best = std::min(best, quality_of(small, servers));
    std::size_t i = 0;
    while (i < servers.size() && ++servers[i] == small.free_gpus.size()) servers[i++] = 0;
    if (i == servers.size()) return best;
  }
}

/// At most 4 servers with some GPUs free, and at most 6 instances that fit; at least one stage is key.
SmallCase random_case(RandomStream& random) {
  SmallCase small;
  small.free_gpus.resize(1 + random.below(4));
  int gpus = 0;
  for (int& free : small.free_gpus) gpus += free = static_cast<int>(1 + random.below(4));
  small.stages = 1 + random.below(4);
  const std::size_t least_key = random.below(small.stages);
  for (ModuleId m = 0; m < small.stages; ++m) {
    if (m == least_key || random.below(2) == 0) small.keys.push_back(m);
  }
  const auto count = std::min<std::size_t>(small.stages + random.below(6), std::min(gpus, 6));
  for (std::size_t i = 0; i < count; ++i)
    small.instances.push_back(static_cast<ModuleId>(i < small.stages ? i : random.below(small.stages)));
  std::sort(small.instances.begin(), small.instances.end());
  return small;
}

struct Losses {
  int cases = 0;
  int equal = 0;         ///< number of cases as good as the best
  int as_dispersed = 0;  ///< number of cases as dispersed as the best
  int most_excess = 0;   ///< instances of a stage on a server beyond the least possible
  int lost_gpus = 0;     ///< free GPUs beside key stages short of the best, in cases as dispersed
  int free_gpus = 0;     ///< GPUs free beside key stages at best, in cases as dispersed

  void add(const Quality& ours, const Quality& best) {
    ++cases;
    equal += !(best < ours) ? 1 : 0;
    most_excess = std::max(most_excess, ours.most_of_a_stage - best.most_of_a_stage);
    if (ours.most_of_a_stage > best.most_of_a_stage) return;
    ++as_dispersed;
    free_gpus += best.free_beside_keys;
    lost_gpus += best.free_beside_keys - ours.free_beside_keys;
  }
  void print(const char* name) const {
    std::cout << name << ": of " << cases << " cases " << equal << " as good as exhaustive search and "
              << as_dispersed << " as dispersed, the others by at most " << most_excess
              << " instances worse; of those as dispersed " << free_gpus - lost_gpus << " instead of "
              << free_gpus << " free GPUs beside key stages\n";
  }
};

Quality quality_of(const SmallCase& small, const PlacementParams& params) {
  Cluster cluster(small.stages, small.free_gpus, params);
  cluster.plan(small.keys);
  std::vector<std::uint32_t> servers;
  for (const ModuleId stage : small.instances) servers.push_back(cluster.start(stage));
  EXPECT_EQ(std::count(servers.begin(), servers.end(), kNowhere), 0);
  return quality_of(small, servers);
}

// Pinsker: at the default threshold, a row is within root 0.002 of the uniform one over all servers; with 11
// instances this is less than half an instance.
TEST(KeysPlacement, SpreadsUpTo11InstancesAsTheUniformRowItself) {
  PlacementParams uniform;
  uniform.roomy_gpus = 5;
  uniform.kl_threshold = 1e-9;
  PlacementParams near = uniform;
  near.kl_threshold = PlacementParams{}.kl_threshold;
  RandomStream random(6, "test.near_uniform");
  for (int round = 0; round < 200; ++round) {
    Cluster one(1, std::vector<int>(4 + random.below(9), 4), uniform);
    one.plan({0});
    for (std::uint64_t i = random.below(10); i > 0; --i) {
      const auto server = static_cast<std::uint32_t>(random.below(one.servers.size()));
      if (one.servers[server].free_gpus > 0) one.put(server, 0);
    }
    Cluster other(1, {}, near);
    other.plan({0});
    other.servers = one.servers;
    EXPECT_EQ(one.place(0), other.place(0));
  }
}

// The objective: key stages are as dispersed as can be, then as many GPUs as can be are free beside them. An
// instance is placed without knowledge of the instances that follow. If key stages do not outnumber roomy
// servers, the paper's rule is another one, most free GPUs first: the losses are printed. A single stage that
// is spread loses nothing, because the fewest first is as even as can be.
TEST(KeysPlacement, AgainstExhaustiveSearch) {
  Losses contended;
  Losses room;
  Losses room_spread;
  int single = 0;
  RandomStream random(5, "test.exhaustive");
  PlacementParams always;
  always.roomy_gpus = 5;  // more than a server has
  for (int round = 0; round < 200; ++round) {
    const SmallCase small = random_case(random);
    const Quality best = best_of(small);
    const Quality ours = quality_of(small, PlacementParams{});
    const Quality spread = quality_of(small, always);
    ASSERT_FALSE(ours < best);
    ASSERT_FALSE(spread < best);
    const auto roomy = std::ranges::count_if(small.free_gpus, [](int free) { return free >= 2; });
    if (roomy < std::ssize(small.keys)) {
      contended.add(ours, best);
    } else {
      room.add(ours, best);
      room_spread.add(spread, best);
    }
    if (small.stages > 1) continue;
    EXPECT_EQ(spread.most_of_a_stage, best.most_of_a_stage);
    ++single;
  }
  EXPECT_GE(single, 20);
  contended.print("contended");
  room.print("room");
  room_spread.print("room, spread all the same");
}

}  // namespace
}  // namespace harness

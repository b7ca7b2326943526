#include "harness/experiment/cells/device_need.h"

#include <gtest/gtest.h>

#include "harness/experiment/running/cell_devices.h"
#include "harness/sim/test_world.h"

namespace harness {
namespace {

RankMachine machine(const std::string& host, std::vector<int> cores, int cuda = 0) {
  RankMachine one;
  one.host = host;
  one.cores.allowed = std::move(cores);
  one.gpus = one.nvidia = cuda;
  if (cuda == 0) one.why_no_gpu = "no GPU here";
  return one;
}

DeviceNeed need(DeviceKind device, int workers, int threads = 1, int gpus_per_rank = 0) {
  DeviceNeed one;
  one.gpu.device = device;
  one.gpu.threads = threads;
  one.workers = workers;
  one.live.gpus_per_rank = gpus_per_rank;
  return one;
}

TEST(RankMachines, OfManyCoresAreReadBack) {
  RankMachine one = machine("node 7", {}, 4);
  for (int core = 0; core < 256; core += 2) one.cores.allowed.push_back(core);
  one.gpu_set = 0xfedcba9876543210ULL;
  one.cores.quota = 2.5;
  one.why_no_network = "no LibTorch";
  one.why_no_gpu = "too old:\n8.0 is needed";
  const RankMachine read = unpacked<RankMachine>(packed(one));
  EXPECT_EQ(read.host, one.host);
  EXPECT_EQ(read.gpu_set, one.gpu_set);
  EXPECT_EQ(read.cores.allowed, one.cores.allowed);
  EXPECT_EQ(read.cores.quota, one.cores.quota);
  EXPECT_EQ(read.nvidia, 4);
  EXPECT_EQ(read.gpus, 4);
  EXPECT_EQ(read.why_no_network, one.why_no_network);
  EXPECT_EQ(read.why_no_gpu, one.why_no_gpu);
  const RankMachine nothing = unpacked<RankMachine>(packed(RankMachine()));
  EXPECT_TRUE(nothing.host.empty() && nothing.cores.allowed.empty() && !nothing.cores.quota);
}

TEST(DeviceNeeds, CellsThatNeedTheSameStandTogether) {
  std::vector<DeviceNeed> needs;
  RunSpec world;
  world.profiles = {testing::linear_profile("net", 1, 2, 4)};
  world.profiles[0].device = "cpu";
  world.profiles[0].precision = Precision::kBf16;
  for (std::uint32_t cell = 0; cell < 6; ++cell) {
    PreparedCell prepared;
    prepared.identity.index = cell;
    prepared.settings.cluster.workers = 2;
    prepared.settings.gpu.device = cell % 2 == 0 ? DeviceKind::kNull : DeviceKind::kCuda;
    add_need(needs, prepared, world);
  }
  ASSERT_EQ(needs.size(), 2u);
  EXPECT_EQ(needs[1].cells, (std::vector<std::uint32_t>{1, 3, 5}));
  EXPECT_EQ(needs[1].profiled_in, std::set<Precision>{Precision::kBf16});
  EXPECT_EQ(need_of(needs, 3), &needs[1]);
  EXPECT_EQ(need_of(needs, 6), nullptr);
  EXPECT_TRUE(asks_for_gpus(needs));
  EXPECT_FALSE(asks_for_gpus(std::span(needs).first(1)));
}

TEST(WhyNoDevices, RanksOfAHostTakeItsGpusInTurn) {
  const std::vector<RankMachine> ranks = {machine("a", {0}), machine("a", {0}, 4), machine("a", {0}, 4)};
  EXPECT_EQ(why_no_devices(need(DeviceKind::kCuda, 4), ranks), "");
  EXPECT_EQ(why_no_devices(need(DeviceKind::kCuda, 5), ranks), "rank 2 on a: 5 GPUs are needed, 4 are there");
  std::vector<RankMachine> apart = ranks;
  apart[2].gpu_set = 1;  // it sees others
  EXPECT_EQ(why_no_devices(need(DeviceKind::kCuda, 8), apart), "");
  apart[2].host = "b";
  EXPECT_EQ(why_no_devices(need(DeviceKind::kCuda, 8), apart), "");
  apart[2].gpus = 0;
  apart[2].why_no_gpu = "no driver";
  EXPECT_EQ(why_no_devices(need(DeviceKind::kCuda, 8), apart), "rank 2 on b: no driver");
  EXPECT_EQ(why_no_devices(need(DeviceKind::kCuda, 4, 1, 4), apart), "") << "the third rank has none to host";
}

TEST(WhyNoDevices, WithoutGpusOrLibTorch) {
  std::vector<RankMachine> alone = {machine("a", {0, 1})};
  EXPECT_EQ(why_no_devices(need(DeviceKind::kCuda, 1), alone), "a: no GPU here");
  EXPECT_EQ(why_no_devices(need(DeviceKind::kCpu, 1), alone), "");
  alone[0].why_no_network = "this build has no LibTorch";
  EXPECT_EQ(why_no_devices(need(DeviceKind::kCpu, 1), alone), "a: this build has no LibTorch");
  EXPECT_EQ(why_no_devices(need(DeviceKind::kNull, 1), alone), "");
  EXPECT_EQ(why_no_devices(need(DeviceKind::kCuda, 1), {}), "") << "only rank 0 knows";
}

/// Returns the only warning; "" if there is no warning.
std::string warning(const DeviceNeed& need, std::span<const RankMachine> machines) {
  const std::vector<std::string> all = device_warnings(need, machines);
  EXPECT_LE(all.size(), 1u);
  return all.empty() ? "" : all[0];
}

TEST(DeviceWarnings, MoreThreadsThanCores) {
  const std::vector<RankMachine> alone = {machine("a", {0, 1, 2, 3})};
  EXPECT_EQ(warning(need(DeviceKind::kCpu, 4), alone), "");
  EXPECT_EQ(warning(need(DeviceKind::kCpu, 2, 2), alone), "");
  EXPECT_EQ(warning(need(DeviceKind::kNull, 50), alone), "");
  EXPECT_EQ(
      warning(need(DeviceKind::kCpu, 3, 2), alone).rfind("3 workers of 2 threads each on 4 cores of a: ", 0),
      0u);
  std::vector<RankMachine> limited = alone;
  limited[0].cores.quota = 1.5;
  EXPECT_EQ(
      warning(need(DeviceKind::kCpu, 1, 2), limited).rfind("1 worker of 2 threads on 1.5 cores of a: ", 0),
      0u);
}

TEST(DeviceWarnings, RanksOfAHostShareItsCores) {
  std::vector<RankMachine> ranks = {machine("a", {0, 1, 2, 3}), machine("a", {0, 1, 2, 3}),
                                    machine("a", {0, 1, 2, 3})};
  EXPECT_EQ(warning(need(DeviceKind::kCpu, 4), ranks), "");
  EXPECT_EQ(
      warning(need(DeviceKind::kCpu, 5), ranks).rfind("5 workers of 1 thread each on 4 cores of a: ", 0), 0u);
  ranks[2].host = "b";
  EXPECT_EQ(warning(need(DeviceKind::kCpu, 8), ranks), "");
  // The launcher has bound each rank to a core of its own.
  const std::vector<RankMachine> bound = {machine("a", {0}), machine("a", {1}), machine("a", {2, 3})};
  const std::string one = warning(need(DeviceKind::kCpu, 3), bound);
  EXPECT_EQ(one.rfind("2 workers of 1 thread each on 1 core of those of a that rank 1 may use: ", 0), 0u)
      << one;
  EXPECT_NE(one.find("--bind-to none"), std::string::npos);
}

TEST(DeviceWarnings, GpusThatAreLeftAlone) {
  const std::vector<RankMachine> alone = {machine("a", {0}, 2)};
  EXPECT_EQ(warning(need(DeviceKind::kCpu, 1), alone).rfind("a has 2 GPUs, and gpu.device is cpu: ", 0), 0u);
  EXPECT_EQ(warning(need(DeviceKind::kCuda, 1), alone), "");
}

TEST(DeviceWarnings, ProfilesOfAnotherDevice) {
  const std::vector<RankMachine> alone = {machine("a", {0, 1})};
  const auto with = [&](DeviceKind device, int threads, const std::string& profiled_on) {
    DeviceNeed one = need(device, 1, threads);
    one.profiled_on = {profiled_on};
    return warning(one, alone);
  };
  const std::string cpu = "cpu (Some Processor, 2 threads)";
  EXPECT_EQ(with(DeviceKind::kCpu, 2, cpu), "");
  EXPECT_EQ(with(DeviceKind::kCpu, 1, "cpu"), "");
  EXPECT_EQ(with(DeviceKind::kCuda, 1, "V100"), "") << "nobody can tell";
  EXPECT_EQ(with(DeviceKind::kNull, 1, "V100"), "");
  for (const auto& [warned, begins] : std::vector<std::pair<std::string, std::string>>{
           {with(DeviceKind::kCpu, 1, cpu), "the profiles are of " + cpu + ", gpu.threads is 1: "},
           {with(DeviceKind::kCpu, 1, "V100"), "the profiles are of V100, gpu.device is cpu: "},
           {with(DeviceKind::kCuda, 1, cpu), "the profiles are of " + cpu + ", gpu.device is cuda: "}})
    EXPECT_EQ(warned.rfind(begins, 0), 0u) << warned;
}

TEST(DeviceWarnings, ProfilesInAnotherPrecision) {
  const std::vector<RankMachine> alone = {machine("a", {0, 1})};
  const std::vector<Precision> all = {Precision::kFp32, Precision::kFp16, Precision::kBf16};
  for (const DeviceKind device : {DeviceKind::kCpu, DeviceKind::kCuda, DeviceKind::kNull}) {
    for (const Precision asked : all) {
      DeviceNeed one = need(device, 1);
      one.gpu.precision = asked;
      EXPECT_EQ(warning(one, alone), "") << "of a paper, nobody can tell";
      for (const Precision measured : all) {
        one.profiled_in = {measured};
        const bool is_fit = device == DeviceKind::kNull || measured == asked;
        const std::string begin = std::string("the profiles are of models in ") + name_of(measured) +
                                  ", gpu.precision is " + name_of(asked) + ": ";
        EXPECT_EQ(warning(one, alone).substr(0, begin.size()), is_fit ? "" : begin);
      }
    }
  }
}

TEST(DeviceNotes, SayEachThingOnce) {
  std::vector<DeviceNeed> needs = {need(DeviceKind::kCuda, 1), need(DeviceKind::kCpu, 2),
                                   need(DeviceKind::kCpu, 2, 1, 8)};
  needs[0].cells = {0, 1, 2};
  const std::vector<std::string> notes = device_notes(needs, std::vector{machine("a", {0})});
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_EQ(notes[0], "3 cells on gpu.device = cuda cannot run: a: no GPU here");
}

}  // namespace

namespace {

RunSpec chain_of(const std::string& system) {
  std::vector<Profile> profiles = {testing::linear_profile("m0", 2, 4, 4),
                                   testing::linear_profile("m1", 2, 4, 8)};
  return testing::make_spec(system, testing::chain(2), std::move(profiles), {{1, 2}, {2, 2}}, kNsPerS,
                            testing::poisson_times(10, kNsPerS, 1), kNsPerS);
}

TEST(CellDevices, LoadTheBatchesOfThePlanOrOfAnyThatMayFollow) {
  Plan plan;
  plan.modules.resize(2);
  plan.modules[0].max_batch = 1;
  plan.modules[1].max_batch = 2;
  EXPECT_EQ(largest_batches(chain_of("naive"), plan), (std::vector<int>{1, 2}));
  // Chooses batches again each time that it allocates workers, also without groups.
  EXPECT_EQ(largest_batches(chain_of("loki"), plan), (std::vector<int>{4, 8}));
  RunSpec streaming = chain_of("naive");
  streaming.profiles[1].service = Service::kShared;
  EXPECT_EQ(largest_batches(streaming, plan), (std::vector<int>{1, 0}));
}

}  // namespace
}  // namespace harness

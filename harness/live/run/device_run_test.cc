// Tests of live runs whose batches run on devices: every visit's own image gets there, the accounting closes,
// a failure ends the run on all ranks and leaves the next one alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <thread>

#include "harness/core/cell_failed.h"
#include "harness/gpu/device/test_scripted_device.h"
#include "harness/gpu/exchange/device_exchange.h"
#include "harness/gpu/exchange/test_fake_lane.h"
#include "harness/live/run/device_workers.h"
#include "harness/live/run/live_run.h"
#include "harness/live/tensors/tensors.h"
#include "harness/live/transport/local_transport.h"
#include "harness/live/transport/test_transport.h"
#include "harness/live/transport/transport.h"
#include "harness/sim/test_world.h"

namespace harness {
namespace {

constexpr int kModules = 2;
constexpr int kWorkersEach = 2;

/// Returns a cell of 2 modules with images of 8 x 6 and 5 x 4 pixels, 2 workers each, and 100 requests/s for
/// half a second. No pause of a busy machine exceeds its SLO. `remote`: the second module is a remote call by
/// four threads.
RunSpec small(const std::string& system, bool remote = false) {
  std::vector<Profile> profiles;
  std::vector<ModuleOverride> overrides;
  Pipeline pipeline = testing::chain(kModules);
  for (int m = 0; m < kModules; ++m) {
    profiles.push_back(testing::linear_profile("m" + std::to_string(m), 2, 4, 4));
    overrides.push_back({4, kWorkersEach});
    Module& module = pipeline.modules[static_cast<std::size_t>(m)];
    module.model = "net" + std::to_string(m);
    module.input_height = 8 - 3 * m;
    module.input_width = 6 - 2 * m;
    module.input_bytes = static_cast<std::uint32_t>(3 * module.input_height * module.input_width);
  }
  if (remote) {
    profiles[1].service = Service::kDelay;
    profiles[1].delay = {4, 5 * kNsPerMs, 0.0};
    profiles[1].latency_ns = {5 * kNsPerMs};
    overrides[1] = {1, 4};
  }
  const TimeNs duration_ns = kNsPerS / 2;
  RunSpec spec = testing::make_spec(system, std::move(pipeline), std::move(profiles), overrides, 30 * kNsPerS,
                                    testing::poisson_times(100, duration_ns, 1), duration_ns);
  testing::without_early_dropping(spec);
  testing::without_waiting_for_batches(spec, system);
  return spec;
}

/// Returns the images that the clients send (module 0), or that the module before makes of them.
std::vector<std::vector<std::byte>> tensors_of(const RunSpec& spec, ModuleId module) {
  Tensors tensors(spec.pipeline, spec.seed);
  std::vector<std::vector<std::byte>> all;
  for (RequestId request = 0; request < Tensors::kTensorsPerModule; ++request) {
    const std::span<const std::byte> sent = tensors.input(0, request).span();
    const std::span<const std::uint8_t> pixels(reinterpret_cast<const std::uint8_t*>(sent.data()),
                                               sent.size());
    const Module& first = spec.pipeline.modules[0];
    std::vector<std::byte> bytes(sent.begin(), sent.end());
    if (module == 1) bytes = scripted_output(first.model, pixels, output_bytes(spec.pipeline, 0));
    all.push_back(std::move(bytes));
  }
  return all;
}

/// True if the image is one of the images that come to the module, and of its size.
bool belongs_to(const Module& declared, const std::vector<std::vector<std::byte>>& tensors,
                const Image& image) {
  if (image.height != declared.input_height || image.width != declared.input_width) return false;
  const auto bytes = std::as_bytes(image.bytes);
  return std::any_of(tensors.begin(), tensors.end(), [&](const std::vector<std::byte>& tensor) {
    return std::equal(bytes.begin(), bytes.end(), tensor.begin(), tensor.end());
  });
}

void on_each_rank(int ranks, const std::function<void(int)>& run) {
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) threads.emplace_back(run, rank);
  for (std::thread& thread : threads) thread.join();
}

/// A rank with scripted devices for `gpus` GPUs. Batches take longer on each further device, by the share
/// `uneven`.
class RankWithDevices {
 public:
  RankWithDevices(const std::string& system, Transport& transport, int first_gpu, int gpus,
                  DeviceScript script = {}, double uneven = 0, bool remote = false)
      : spec_(small(system, remote)) {
    for (ModuleId module = 0; module < kModules; ++module) tensors_.push_back(tensors_of(spec_, module));
    script.note = ": no CUDA graph";
    script.is_right = [this](DeviceModel model, const Image& one) {
      return belongs_to(spec_.pipeline.modules[model], tensors_[model], one);
    };
    std::vector<std::unique_ptr<Device>> devices;
    double times = 1;
    for (int gpu = 0; gpu < gpus; ++gpu) {
      script.latency = [this, times](const ModelSource&, int batch) {
        return static_cast<TimeNs>(times * static_cast<double>(spec_.profiles[0].latency(batch)));
      };
      auto device = std::make_unique<ScriptedDevice>(script, [&transport] { transport.interrupt(); });
      devices_.push_back(device.get());
      devices.push_back(std::move(device));
      times += uneven;
    }
    workers_ = std::make_unique<DeviceWorkers>(std::move(devices), first_gpu,
                                               DeviceWorkers::Models{spec_.pipeline, spec_.profiles, 7});
  }

  std::optional<RunRecord> run(Transport& transport, std::uint32_t number = 1,
                               DeviceExchanges* exchanges = nullptr) {
    LiveRun how;
    how.exchanges = exchanges;
    how.number = number;
    how.devices = workers_.get();
    return run_live(spec_, how, transport, nullptr);
  }

  DeviceWorkers& workers() { return *workers_; }
  const RunSpec& spec() const { return spec_; }
  std::vector<DeviceDiary> diaries() const {
    std::vector<DeviceDiary> diaries;
    for (const ScriptedDevice* device : devices_) diaries.push_back(device->diary());
    return diaries;
  }

 private:
  RunSpec spec_;
  std::vector<std::vector<std::vector<std::byte>>> tensors_;  ///< images that come to each module
  std::vector<const ScriptedDevice*> devices_;
  std::unique_ptr<DeviceWorkers> workers_;
};

TEST(DeviceRun, EverySystemsBatchesRunOnTheDevices) {
  for (const SystemEntry& entry : all_systems()) {
    SCOPED_TRACE(entry.name);
    const auto transport = make_local_transport();
    RankWithDevices rank(entry.name, *transport, 0, kModules * kWorkersEach);
    const std::optional<RunRecord> record = rank.run(*transport);
    ASSERT_TRUE(record.has_value());
    EXPECT_EQ(static_cast<double>(record->sent), rank.spec().arrivals->expected_requests());
    EXPECT_EQ(record->in_time + record->late + record->dropped, record->sent);
    EXPECT_EQ(record->in_time, record->sent) << "load 0.2 of the capacity, an SLO of 2,500 batches";
    std::vector<std::uint64_t> visits(kModules, 0);
    for (const DeviceDiary& diary : rank.diaries()) {
      EXPECT_EQ(diary.wrong_images, 0u);
      ASSERT_EQ(diary.models.size(), 2u) << "each device has the models of all modules";
      EXPECT_EQ(diary.models[1].model, "net1");
      EXPECT_EQ(diary.models[1].max_batch, rank.spec().profiles[1].max_batch());
      EXPECT_EQ(diary.models[1].seed, 7u);
      for (std::size_t i = 0; i < diary.batch_sizes.size(); ++i)
        visits[diary.batch_models[i]] += diary.batch_sizes[i];
    }
    for (ModuleId m = 0; m < kModules; ++m) EXPECT_EQ(visits[m], record->modules[m].done) << "module " << m;
  }
}

constexpr int kRanks = 3;  // the first sends, and each other has the two workers of a module

/// Runs the naive system on ranks in a thread each, and expects that every batch got its own images.
RunRecord run_on_ranks(TestNetwork& network, const std::function<DeviceExchanges(int)>& exchanges_of = {}) {
  std::optional<RunRecord> record;
  on_each_rank(kRanks, [&](int rank) {
    DeviceExchanges exchanges;
    if (exchanges_of) exchanges = exchanges_of(rank);
    RankWithDevices own("naive", network.at(rank), kWorkersEach * (rank - 1), rank == 0 ? 0 : kWorkersEach);
    std::optional<RunRecord> mine = own.run(network.at(rank), 1, exchanges_of ? &exchanges : nullptr);
    if (mine) record = std::move(mine);
    for (const DeviceDiary& diary : own.diaries()) EXPECT_EQ(diary.wrong_images, 0u) << "rank " << rank;
  });
  EXPECT_EQ(record->in_time + record->late, record->sent) << "it drops nothing";
  EXPECT_EQ(record->ranks.size(), std::size_t{kRanks});
  for (const RankTotals& rank : record->ranks) EXPECT_EQ(rank.tensors_left, 0u);
  return std::move(*record);
}

TEST(DeviceRun, TensorsGoFromTheRankThatMadeThemToTheOneThatNeedsThem) {
  TestNetwork network(kRanks);
  const RunRecord record = run_on_ranks(network);
  EXPECT_EQ(record.notes, (std::vector<std::string>{"net0: no CUDA graph", "net1: no CUDA graph"}))
      << "of four devices on two ranks, once";
  const std::uint64_t bytes = record.sent * small("naive").pipeline.modules[1].input_bytes;
  EXPECT_EQ(record.ranks[2].tensor_message_bytes, bytes);
  EXPECT_EQ(record.ranks[1].tensor_message_bytes, 0u) << "clients' images come with the visits";
  for (const RankTotals& rank : record.ranks) EXPECT_EQ(rank.tensor_handle_bytes, 0u);
}

TEST(DeviceRun, RemoteCallsRunWhereTheirQueueIsWhateverDevicesTheRankHas) {
  // GPUs 0 and 1 run the first module's batches; the queue of the second, whose threads count as GPUs 2 to 5,
  // is on the rank of the first of them, which has devices for GPUs 0 to 2 only.
  TestNetwork network(kRanks);
  std::optional<RunRecord> record;
  on_each_rank(kRanks, [&](int rank) {
    RankWithDevices own("naive", network.at(rank), 3 * (rank - 1), rank == 0 ? 0 : 3, {}, 0, true);
    std::optional<RunRecord> mine = own.run(network.at(rank));
    if (mine) record = std::move(mine);
  });
  EXPECT_EQ(record->in_time, record->sent) << "nothing is dropped, and 30 s are enough";
  EXPECT_EQ(record->modules[1].done, record->sent);
}

TEST(DeviceRun, GpusOfSeveralRanksExchangeTensorsInThreadsOfTheirOwn) {
  TestNetwork network(kRanks);
  FakeLaneNet net(kModules * kWorkersEach, 3);
  net.wake = [&network](WorkerId gpu) { network.at(1 + static_cast<int>(gpu) / kWorkersEach).interrupt(); };
  const RunRecord record = run_on_ranks(network, [&net](int rank) {
    DeviceExchanges exchanges;
    exchanges.make_channel_id = FakeLane::make_id;
    const auto first_gpu = static_cast<WorkerId>(kWorkersEach * (rank - 1));
    for (WorkerId gpu = first_gpu; rank > 0 && gpu < first_gpu + kWorkersEach; ++gpu)
      exchanges.gpus.push_back(
          {std::make_unique<HostTensorMemory>(), std::make_unique<FakeLane>(net, gpu, true)});
    return exchanges;
  });
  EXPECT_EQ(record.ranks[2].tensor_device_bytes,
            record.sent * small("naive").pipeline.modules[1].input_bytes);
  for (const RankTotals& rank : record.ranks) EXPECT_EQ(rank.tensor_message_bytes, 0u);
  for (WorkerId gpu = 0; gpu < kModules * kWorkersEach; ++gpu) EXPECT_TRUE(net.nccl.stream(gpu).empty());
}

/// Returns the script of a device whose batch of that number, from 0, ends with the fault.
DeviceScript with_fault(std::size_t DeviceScript::*fault, std::size_t batch) {
  DeviceScript script;
  script.*fault = batch;
  return script;
}

/// Returns the failure that ended the run; "" if the run did not fail.
std::string why_failed(RankWithDevices& rank, Transport& transport) {
  try {
    rank.run(transport, 1);
  } catch (const CellFailed& failed) {
    return failed.what();
  }
  return "";
}

TEST(DeviceRun, AFailedBatchEndsTheRunOnAllRanksAndTheNextOneRuns) {
  TestNetwork network(kRanks);
  std::vector<std::string> why(kRanks);
  std::optional<RunRecord> second;
  std::barrier between(kRanks);  // as between cells: a message of the next run must not meet this one
  on_each_rank(kRanks, [&](int rank) {
    Transport& transport = network.at(rank);
    const int gpus = rank == 0 ? 0 : 2;
    {
      RankWithDevices broken("pard", transport, 2 * (rank - 1), gpus,
                             with_fault(&DeviceScript::fails_at, rank == 2 ? 3 : DeviceScript::kNoBatch));
      why[static_cast<std::size_t>(rank)] = why_failed(broken, transport);
    }
    between.arrive_and_wait();
    RankWithDevices sound("pard", transport, 2 * (rank - 1), gpus);
    std::optional<RunRecord> record = sound.run(transport, 2);
    if (rank == 0) second = std::move(record);
  });
  EXPECT_EQ(why[2].rfind("device scripted: model net", 0), 0u) << why[2];
  EXPECT_NE(why[2].find(": compute failed: as told"), std::string::npos) << why[2];
  EXPECT_EQ(why[0], "rank 2: " + why[2]);
  EXPECT_EQ(why[1], "rank 2: " + why[2]);
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(second->in_time + second->late + second->dropped, second->sent);
}

TEST(DeviceRun, TheLargestBatchOfEachModuleIsTriedOnEveryDevice) {
  const auto transport = make_local_transport();
  RankWithDevices rank("pard", *transport, 0, 3);
  rank.workers().try_batches(std::vector<int>{4, 0});
  rank.workers().try_batches(std::vector<int>{2, 3});
  for (const DeviceDiary& diary : rank.diaries()) {
    EXPECT_EQ(diary.batch_models, (std::vector<DeviceModel>{0, 0, 0, 0, 1, 1}));
    EXPECT_EQ(diary.batch_sizes, (std::vector<std::size_t>{4, 4, 2, 2, 3, 3})) << "two at once";
  }
  DeviceScript script;
  script.fits = 3;
  RankWithDevices small("pard", *transport, 0, 3, script);
  EXPECT_NO_THROW(small.workers().try_batches(std::vector<int>{3, 3}));
  try {
    small.workers().try_batches(std::vector<int>{3, 4});
    FAIL() << "a batch that cannot run";
  } catch (const CellFailed& failed) {
    EXPECT_STREQ(failed.what(), "device scripted: model net1, batch 4: out of memory");
  }
}

TEST(DeviceRun, TheSlowdownIsThatOfBatchesAloneOnADevice) {
  const auto transport = make_local_transport();
  RankWithDevices rank("pard", *transport, 0, 2);
  // A batch of n takes 4 + 2 n ms or longer, as the profiles say.
  const auto slowdown = [&](std::int64_t times, std::int64_t by) {
    std::vector<Profile> profiles = rank.spec().profiles;
    for (Profile& profile : profiles) {
      for (TimeNs& latency_ns : profile.latency_ns) latency_ns = latency_ns * times / by;
    }
    return rank.workers().slowdown(rank.spec().pipeline, profiles, std::vector<int>{2, 4}, 5);
  };
  EXPECT_GE(slowdown(1, 1), 1);
  EXPECT_GE(slowdown(1, 2), 2);
  EXPECT_LE(slowdown(1000, 1), 1);
  for (const DeviceDiary& diary : rank.diaries()) {
    EXPECT_EQ(diary.batch_sizes.size(), 3U * 5 * (2 + 4)) << "1, 2 and 1, 2, 3, 4";
    EXPECT_EQ(std::count(diary.batch_sizes.begin(), diary.batch_sizes.end(), 4U), 3 * 5);
  }
}

TEST(DeviceRun, TheSlowdownIsThatOfTheDeviceFarthestFromTheProfiles) {
  const auto transport = make_local_transport();
  RankWithDevices rank("pard", *transport, 0, 2, {}, 1.5);
  std::vector<Profile> profiles = rank.spec().profiles;
  for (Profile& profile : profiles) {
    for (TimeNs& latency_ns : profile.latency_ns) latency_ns = latency_ns * 5 / 3;
  }
  // The first device takes 0.6 of the profile or longer, the second 1.5 or longer: farther, though not as a
  // ratio.
  EXPECT_GE(rank.workers().slowdown(rank.spec().pipeline, profiles, std::vector<int>{1, 1}, 3), 1.5);
}

TEST(DeviceRun, NoBatchesAreAsFastAsAnyProfile) {
  const auto transport = make_local_transport();
  RankWithDevices rank("pard", *transport, 0, 1);
  EXPECT_EQ(rank.workers().slowdown(rank.spec().pipeline, rank.spec().profiles, std::vector<int>{0, 0}, 3),
            1);
}

TEST(DeviceRun, TheSlowdownAfterARunIsThatOfItsDevices) {
  const auto transport = make_local_transport();
  RankWithDevices rank("pard", *transport, 0, kModules * kWorkersEach);
  ASSERT_TRUE(rank.run(*transport).has_value());
  EXPECT_GE(rank.workers().slowdown(rank.spec().pipeline, rank.spec().profiles, std::vector<int>{2, 2}, 3),
            1);
  RankWithDevices lost("pard", *transport, 0, 1, with_fault(&DeviceScript::refuses_at, 3));
  EXPECT_THROW(lost.workers().slowdown(lost.spec().pipeline, lost.spec().profiles, std::vector<int>{2, 2}, 3),
               DeviceError);
}

// A device that is lost in the middle of a batch, and one that is found lost when it is given the next one:
// the cell fails by the name of the device, the model and the batch, and the next cell, on other devices,
// runs.
TEST(DeviceRun, ALostDeviceFailsItsCellAlone) {
  for (const auto fault : {&DeviceScript::lost_from, &DeviceScript::refuses_at}) {
    const auto transport = make_local_transport();
    {
      RankWithDevices broken("nexus", *transport, 0, kModules * kWorkersEach, with_fault(fault, 2));
      const std::string why = why_failed(broken, *transport);
      EXPECT_EQ(why.rfind("device scripted: model net", 0), 0u) << why;
      EXPECT_NE(why.find(", batch "), std::string::npos) << why;
      EXPECT_NE(why.find(": device lost: it fell off the bus"), std::string::npos) << why;
    }
    RankWithDevices sound("nexus", *transport, 0, kModules * kWorkersEach);
    const std::optional<RunRecord> record = sound.run(*transport, 2);
    ASSERT_TRUE(record.has_value());
    EXPECT_EQ(record->in_time + record->late + record->dropped, record->sent);
  }
}

TEST(DeviceRun, APreemptionStopsTheWorkersEarliestBatchAlone) {
  const auto transport = make_local_transport();
  TimeNs now_ns = kNsPerS;
  DeviceScript script;
  script.clock = [&now_ns] { return now_ns; };
  script.part_ns = kNsPerUs;
  RankWithDevices rank("pard", *transport, 0, 1, script);
  const Module& module = rank.spec().pipeline.modules[0];
  const std::vector<std::uint8_t> bytes(module.input_bytes);
  const Image image{bytes, module.input_height, module.input_width};
  constexpr WorkerId kWorker = 5;
  for (int i = 0; i < 2; ++i) rank.workers().run_batch(kWorker, 0, 0, {&image, 1}, {});
  rank.workers().preempt(kWorker);
  now_ns += kNsPerS;
  const std::span<const DeviceWorkers::EndedBatch> ended = rank.workers().take();
  ASSERT_EQ(ended.size(), 2U);
  EXPECT_TRUE(ended[0].preempted);
  EXPECT_FALSE(ended[1].preempted) << "it is the one that runs next";
}

TEST(DeviceRun, ALostWorkersBatchIsForgottenAndItsImagesStay) {
  const auto transport = make_local_transport();
  RankWithDevices rank("pard", *transport, 0, kModules * kWorkersEach);
  const_cast<RunSpec&>(rank.spec()).faults = {{FaultKind::kStop, 100 * kNsPerMs, 100 * kNsPerMs, 0, 3, 1, 0},
                                              {FaultKind::kStop, 300 * kNsPerMs, 20 * kNsPerMs, 1, 2, 1, 0}};
  const std::optional<RunRecord> record = rank.run(*transport);
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(record->in_time + record->late + record->dropped, record->sent);
  EXPECT_EQ(record->ranks[0].tensors_left, 0u);
  for (const DeviceDiary& diary : rank.diaries()) EXPECT_EQ(diary.wrong_images, 0u);
}

}  // namespace
}  // namespace harness

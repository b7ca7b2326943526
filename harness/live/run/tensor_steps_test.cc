// Tests of the live code with devices in virtual time: whatever the pipeline, the faults and the network's
// delays, each batch gets the tensors that its visits' branches have made.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "harness/core/cell_failed.h"
#include "harness/engine/dispatch/initial_plan.h"
#include "harness/gpu/device/test_scripted_device.h"
#include "harness/gpu/exchange/device_exchange.h"
#include "harness/gpu/exchange/test_fake_lane.h"
#include "harness/live/protocol/layout.h"
#include "harness/live/run/device_workers.h"
#include "harness/live/run/test_ranks_in_step.h"
#include "harness/live/tensors/tensors.h"
#include "harness/sim/simulation.h"
#include "harness/sim/test_preempting.h"
#include "harness/sim/test_random_cells.h"
#include "systems/all_systems.h"

namespace harness {
namespace {

using testing::RanksInStep;

/// Returns a random cell on devices, with images of random sizes and a queue for each worker.
RunSpec next_cell(
    RandomStream& random, const SystemEntry& entry,
    const std::function<void(RunSpec&)>& change = [](RunSpec&) {}) {
  return testing::next_with_a_plan([&] {
    RunSpec spec = testing::random_cell(random, entry);
    spec.serving.queue = QueueScope::kWorker;
    change(spec);
    for (Module& module : spec.pipeline.modules) {
      module.input_height = 2 + static_cast<int>(random.below(9));
      module.input_width = 3;
      module.input_bytes = static_cast<std::uint32_t>(9 * module.input_height);
    }
    testing::add_load(spec, random);
    return spec;
  });
}

/// Returns the number of ranks to use, up to `ranks`: at most two if the queues have several workers, so that
/// one rank has all devices (rank 0 has none).
int most_ranks(const RunSpec& spec, int ranks) {
  return initial_plan(spec, 1000).groups.empty() ? ranks : std::min(ranks, 2);
}

/// The memory of a GPU with no room left.
class FullMemory final : public TensorMemory {
 public:
  StoredTensor allocate(std::size_t) override { return {}; }
  void copy_to_host(const StoredTensor&, std::span<std::byte>) override {}
  void copy_from_host(std::span<const std::byte>, const StoredTensor&) override {}
  StoredTensor copy_for_lane(const StoredTensor&, std::size_t) override { return {}; }
};

/// The ranks of a cell, each with its devices.
class RanksWithDevices {
 public:
  /// `net` is the network of the lanes between the GPUs; null: no GPU has a lane. `is_full`: the GPUs have no
  /// memory.
  RanksWithDevices(const RunSpec& spec, int ranks, TestFaults network, FakeLaneNet* net = nullptr,
                   bool is_full = false)
      : spec_(spec),
        tensors_(spec.pipeline, spec.seed),
        net_(net),
        is_full_(is_full),
        ranks_(ranks, std::move(network)) {
    const Layout layout(spec.workers, ranks, {});
    for (int rank = 0; rank < ranks; ++rank) {
      std::vector<std::unique_ptr<Device>> own;
      for (int gpu = 0; gpu < layout.gpus(rank); ++gpu) {
        DeviceScript script;
        script.clock = [this] { return ranks_.now_ns(); };
        script.latency = [](const ModelSource&, int batch) { return TimeNs{4 + batch} * kNsPerMs / 2; };
        script.part_ns = kNsPerMs;
        script.is_right = [this](DeviceModel model, const Image& one) {
          return is_right(static_cast<ModuleId>(model), one);
        };
        auto device = std::make_unique<ScriptedDevice>(std::move(script));
        devices_.push_back(device.get());
        own.push_back(std::move(device));
      }
      workers_.push_back(
          std::make_unique<DeviceWorkers>(std::move(own), static_cast<std::uint32_t>(layout.first_gpu(rank)),
                                          DeviceWorkers::Models{spec.pipeline, spec.profiles, 7}));
      if (net_ != nullptr) add_exchanges(layout.first_gpu(rank), layout.gpus(rank));
    }
  }

  RunRecord run() {
    RanksInStep::Devices devices;
    for (const auto& workers : workers_) devices.by_rank.push_back(workers.get());
    for (DeviceExchanges& exchanges : exchanges_) devices.exchanges.push_back(&exchanges);
    devices.next_end_ns = [this] {
      TimeNs next = kNever;
      for (const ScriptedDevice* device : devices_) next = std::min(next, device->next_end_ns());
      for (WorkerId gpu = 0; net_ != nullptr && gpu < devices_.size(); ++gpu) {
        if (net_->nccl.has_ended(gpu) || !net_->nccl.ready().empty())
          next = std::min(next, ranks_.now_ns() + 20 * kNsPerUs);
      }
      return next;
    };
    return ranks_.run(spec_, {}, nullptr, &devices);
  }

  const std::vector<ScriptedDevice*>& devices() const { return devices_; }

 private:
  void add_exchanges(int first_gpu, int gpus) {
    DeviceExchanges& own = exchanges_.emplace_back();
    own.make_channel_id = FakeLane::make_id;
    for (int gpu = first_gpu; gpu < first_gpu + gpus; ++gpu) {
      std::unique_ptr<TensorMemory> memory = std::make_unique<HostTensorMemory>();
      if (is_full_) memory = std::make_unique<FullMemory>();
      own.gpus.push_back(
          {std::move(memory), std::make_unique<FakeLane>(*net_, static_cast<WorkerId>(gpu), true)});
    }
  }

  bool is_right(ModuleId module, const Image& image) {
    const Module& declared = spec_.pipeline.modules[module];
    const auto bytes = std::as_bytes(image.bytes);
    return image.height == declared.input_height &&
           right_images(module).contains({bytes.begin(), bytes.end()});
  }

  /// Returns the images that clients send to the first module, or that the first of the module's `pres` makes
  /// of its own images, since the requests of these pipelines take all branches.
  const std::set<std::vector<std::byte>>& right_images(ModuleId module) {
    std::set<std::vector<std::byte>>& images = right_[module];
    const Module& declared = spec_.pipeline.modules[module];
    if (!images.empty()) return images;
    const auto add = [&](std::span<const std::byte> bytes) {
      const auto own = bytes.first(declared.input_bytes);
      images.insert({own.begin(), own.end()});
    };
    for (RequestId request = 0; declared.pres.empty() && request < Tensors::kTensorsPerModule; ++request)
      add(tensors_.input(module, request).span());
    if (declared.pres.empty()) return images;
    const ModuleId pre = declared.pres.front();
    for (const std::vector<std::byte>& image : right_images(pre)) {
      const std::span<const std::uint8_t> pixels(reinterpret_cast<const std::uint8_t*>(image.data()),
                                                 image.size());
      add(scripted_output(spec_.pipeline.modules[pre].model, pixels, output_bytes(spec_.pipeline, pre)));
    }
    return images;
  }

  const RunSpec& spec_;
  Tensors tensors_;
  std::map<ModuleId, std::set<std::vector<std::byte>>> right_;
  FakeLaneNet* net_;
  bool is_full_;
  std::vector<ScriptedDevice*> devices_;
  std::deque<DeviceExchanges> exchanges_;  ///< exchanges of each rank
  std::vector<std::unique_ptr<DeviceWorkers>> workers_;
  RanksInStep ranks_;  ///< last member: its loops end before what they use
};

/// Runs the cell; expects that every batch got the images of its visits and that no tensor is left.
RunRecord run_and_expect_right_tensors(RanksWithDevices& cluster) {
  RunRecord record = cluster.run();
  EXPECT_EQ(record.sent, record.in_time + record.late + record.dropped);
  EXPECT_EQ(record.why_invalid, "");
  for (const ScriptedDevice* device : cluster.devices()) EXPECT_EQ(device->diary().wrong_images, 0u);
  testing::expect_no_tensors_left(record);
  return record;
}

TEST(TensorSteps, EachBatchGetsTheTensorsOfItsVisits) {
  std::uint64_t by_handle = 0;
  std::uint64_t by_message = 0;
  std::uint64_t waits = 0;
  std::uint64_t others = 0;
  for (const SystemEntry& entry : all_systems()) {
    RandomStream random(11, entry.name);
    for (int round = 0; round < 12; ++round) {
      RunSpec spec = next_cell(random, entry);
      if (round % 2 == 1) spec.faults = testing::random_faults(random, spec.workers);
      const TestFaults network = random_delays(random);
      const int ranks = most_ranks(spec, 1 + static_cast<int>(random.below(5)));
      SCOPED_TRACE(std::string(entry.name) + " round " + std::to_string(round) + " on " +
                   std::to_string(ranks));
      RanksWithDevices cluster(spec, ranks, network);
      const RunRecord record = run_and_expect_right_tensors(cluster);
      std::uint64_t images = 0;
      std::uint64_t prepared = 0;
      for (const ScriptedDevice* device : cluster.devices()) {
        images += device->diary().images;
        prepared += device->diary().prepared_batches;
        others += device->diary().other_batches;
        // The tensors of one rank are there when a visit joins, and no batch is lost without a fault.
        if (ranks <= 2 && spec.faults.empty()) {
          EXPECT_EQ(device->diary().other_batches, 0u);
        }
      }
      EXPECT_GT(images, 0u);
      EXPECT_GT(prepared, 0u);
      for (const RankTotals& rank : record.ranks) {
        by_handle += rank.tensor_handle_bytes;
        by_message += rank.tensor_message_bytes;
        waits += rank.tensor_waits;
      }
    }
  }
  EXPECT_GT(by_handle, 0u);
  EXPECT_GT(by_message, 0u);
  EXPECT_GT(waits, 0u) << "some tensor must have come later than its visit's batch";
  EXPECT_GT(others, 0u) << "some must have been prepared for a batch that was lost, or came too late to be";
}

/// Batches of up to four leave each visit its own output: the next module, which serves one visit at a time
/// in their order, gets the outputs of the requests in their order.
TEST(TensorSteps, EachVisitOfABatchLeavesItsOwnOutput) {
  std::vector<TimeNs> arrivals;
  for (int i = 0; i < 43; ++i) arrivals.push_back(i * 10 * kNsPerUs);
  RunSpec spec =
      testing::make_spec("naive", testing::chain(2),
                         {testing::linear_profile("m", 0.5, 2, 4), testing::linear_profile("n", 0.5, 0.1, 1)},
                         {{4, 1}, {1, 1}}, 10 * kNsPerS, arrivals, kNsPerS);
  for (Module& module : spec.pipeline.modules) {
    module.input_height = 2;
    module.input_width = 3;
    module.input_bytes = 18;
  }
  std::vector<std::vector<std::byte>> expected;
  Tensors clients(spec.pipeline, spec.seed);
  for (RequestId request = 0; request < arrivals.size(); ++request) {
    const std::span<const std::byte> sent = clients.input(0, request).span();
    const std::span<const std::uint8_t> pixels(reinterpret_cast<const std::uint8_t*>(sent.data()), 18);
    expected.push_back(scripted_output(spec.pipeline.modules[0].model, pixels, 18));
  }
  std::vector<std::vector<std::byte>> seen;
  RanksWithDevices cluster(spec, 3, {});
  for (ScriptedDevice* device : cluster.devices()) {
    device->script.is_right = [&seen](DeviceModel model, const Image& image) {
      const auto bytes = std::as_bytes(image.bytes);
      std::vector<std::byte> one(bytes.begin(), bytes.end());
      // Each image is shown twice: as prepared and in its batch. No two requests in a row send the same.
      if (model == 1 && (seen.empty() || seen.back() != one)) seen.push_back(std::move(one));
      return true;
    };
  }
  EXPECT_EQ(run_and_expect_right_tensors(cluster).in_time, arrivals.size());
  EXPECT_EQ(seen, expected);
}

/// A device that turns to a batch 0.5 ms after its submission serves full batches without a gap, and the run
/// equals the one that is simulated with that handover.
TEST(TensorSteps, AFullBatchIsOnTheDeviceBeforeTheOneBeforeItEnds) {
  std::vector<TimeNs> arrivals;
  for (int i = 0; i < 102; ++i) arrivals.push_back(i * 10 * kNsPerUs);
  RunSpec spec = testing::make_spec("naive", testing::chain(1), {testing::linear_profile("m", 0.5, 2, 4)},
                                    {{4, 1}}, 10 * kNsPerS, arrivals, kNsPerS);
  spec.pipeline.modules[0].input_height = 2;
  spec.pipeline.modules[0].input_width = 3;
  spec.pipeline.modules[0].input_bytes = 18;
  spec.profiles[0].handover_ns = kNsPerMs / 2;
  const RunRecord simulated = simulate(spec, nullptr);
  RanksWithDevices cluster(spec, 2, {});
  for (ScriptedDevice* device : cluster.devices()) device->script.submission_ns = kNsPerMs / 2;
  const RunRecord live = run_and_expect_right_tensors(cluster);
  EXPECT_EQ(live.in_time, 102U);
  EXPECT_EQ(live.end_ns, simulated.end_ns);
  EXPECT_EQ(live.gpu_ns + 2 * (kNsPerMs / 2), simulated.gpu_ns)
      << "the first and the last batch are not full";
}

TEST(TensorSteps, APreemptedBatchGetsItsTensorsAgain) {
  std::uint64_t preempted = 0;
  std::uint64_t in_time = 0;
  RandomStream random(14, "preemption");
  for (int round = 0; round < 40; ++round) {
    RunSpec spec = next_cell(random, all_systems().front(), [&random](RunSpec& cell) {
      cell.system = std::make_unique<testing::PreemptingSystem>(0.5 + 3 * random.uniform());
      for (Profile& profile : cell.profiles) profile.exit_points = 9;
    });
    if (round % 2 == 1) spec.faults = testing::random_faults(random, spec.workers);
    const TestFaults network = random_delays(random);
    const int ranks = 1 + static_cast<int>(random.below(5));
    SCOPED_TRACE("round " + std::to_string(round) + " on " + std::to_string(ranks));
    FakeLaneNet net(static_cast<std::size_t>(spec.workers), random.bits());
    RanksWithDevices cluster(spec, ranks, network, round % 4 < 2 && ranks > 1 ? &net : nullptr);
    const RunRecord record = run_and_expect_right_tensors(cluster);
    for (const ModuleTotals& module : record.modules) preempted += module.preempted;
    in_time += record.in_time;
  }
  EXPECT_GT(preempted, 1'000u);
  EXPECT_GT(in_time, 1'000u);
}

TEST(TensorSteps, TensorsGoFromGpuToGpuUnderAnyRoutingAndWhatBreaksGoesByMessage) {
  std::uint64_t by_device = 0;
  std::uint64_t by_message = 0;
  std::uint64_t on_device = 0;
  int broken = 0;
  for (const SystemEntry& entry : all_systems()) {
    RandomStream random(12, entry.name);
    for (int round = 0; round < 6; ++round) {
      RunSpec spec = next_cell(random, entry);
      if (round % 2 == 1) spec.faults = testing::random_faults(random, spec.workers);
      const TestFaults network = random_delays(random);
      const int ranks = 3 + static_cast<int>(random.below(4));
      if (most_ranks(spec, ranks) < ranks) break;  // a system that groups
      SCOPED_TRACE(std::string(entry.name) + " round " + std::to_string(round) + " on " +
                   std::to_string(ranks));
      FakeLaneNet net(static_cast<std::size_t>(spec.workers), random.bits());
      const int breaks = round % 3 == 2 ? 1 : 0;
      net.breaks = breaks;
      RanksWithDevices cluster(spec, ranks, network, &net);
      const RunRecord record = run_and_expect_right_tensors(cluster);
      broken += breaks - net.breaks;
      if (net.breaks < breaks) {
        ASSERT_FALSE(record.notes.empty());
        EXPECT_NE(record.notes.front().find(" of tensors failed, the first: broken"), std::string::npos)
            << record.notes.front();
      } else if (spec.faults.empty()) {
        EXPECT_EQ(record.notes, std::vector<std::string>());
      }
      for (const ScriptedDevice* device : cluster.devices()) on_device += device->diary().images_on_device;
      for (const RankTotals& rank : record.ranks) {
        by_device += rank.tensor_device_bytes;
        by_message += rank.tensor_message_bytes;
      }
      for (WorkerId gpu = 0; gpu < static_cast<WorkerId>(spec.workers); ++gpu)
        EXPECT_TRUE(net.nccl.stream(gpu).empty()) << "gpu " << gpu;
    }
  }
  EXPECT_GT(by_device, 0u);
  EXPECT_GT(by_message, 0u);
  EXPECT_GT(on_device, 0u);
  EXPECT_GT(broken, 3);
}

/// Returns the next cell of several GPUs that exchange tensors.
RunSpec next_exchanging_cell(RandomStream& random) {
  RunSpec spec = next_cell(random, *find_system("naive"));
  while (spec.workers < 2 || spec.pipeline.modules.size() < 2)
    spec = next_cell(random, *find_system("naive"));
  return spec;
}

/// Returns the reason why the cell failed.
std::string failure_of(RanksWithDevices& cluster) {
  try {
    cluster.run();
  } catch (const CellFailed& failed) {
    return failed.what();
  }
  return "it did not";
}

TEST(TensorSteps, ChannelsThatCannotBeOpenedEndTheCellBeforeItsLoad) {
  RandomStream random(13, "naive");
  const RunSpec spec = next_exchanging_cell(random);
  FakeLaneNet net(static_cast<std::size_t>(spec.workers), 1);
  net.why_not = "device cuda:0: ncclCommInitRankConfig by worker 0: Duplicate GPU detected";
  RanksWithDevices cluster(spec, 1 + spec.workers, {}, &net);
  const std::string why = failure_of(cluster);
  EXPECT_NE(why.find("modules m0 and m1 cannot exchange tensors: " + net.why_not), std::string::npos) << why;
  for (const ScriptedDevice* device : cluster.devices()) EXPECT_EQ(device->diary().images, 0u);
}

TEST(TensorSteps, WhatGpusHaveNoRoomForGoesByMessage) {
  RandomStream random(15, "naive");
  const RunSpec spec = next_exchanging_cell(random);
  FakeLaneNet net(static_cast<std::size_t>(spec.workers), 1);
  RanksWithDevices cluster(spec, 1 + spec.workers, {}, &net, true);
  std::uint64_t by_message = 0;
  for (const RankTotals& rank : run_and_expect_right_tensors(cluster).ranks) {
    EXPECT_EQ(rank.tensor_device_bytes, 0u);
    by_message += rank.tensor_message_bytes;
  }
  EXPECT_GT(by_message, 0u);
}

}  // namespace
}  // namespace harness

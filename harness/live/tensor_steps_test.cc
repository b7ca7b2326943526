// The live code with devices in virtual time: whatever the pipeline, the faults and the network's delays,
// each batch gets the tensors that its visits' branches have made.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/live/device_workers.h"
#include "harness/live/layout.h"
#include "harness/live/tensors.h"
#include "harness/live/test_ranks_in_step.h"
#include "harness/live/test_step_device.h"
#include "harness/sim/test_random_cells.h"
#include "systems/all_systems.h"

namespace harness {
namespace {

using testing::RanksInStep;
using testing::StepDevice;

/// A random cell on devices: pictures of random sizes, a queue for each worker.
RunSpec next_cell(RandomStream& random, const SystemEntry& entry) {
  for (;;) {
    RunSpec spec = testing::random_cell(random, entry);
    spec.serving.queue = QueueScope::kWorker;
    for (Module& module : spec.pipeline.modules) {
      module.input_height = 2 + static_cast<int>(random.below(9));
      module.input_width = 3;
      module.input_bytes = static_cast<std::uint32_t>(9 * module.input_height);
    }
    try {
      testing::add_load(spec, random);
      return spec;
    } catch (const InputError&) {
    }
  }
}

/// The ranks of a cell, each with its devices.
class RanksWithDevices {
 public:
  RanksWithDevices(const RunSpec& spec, int ranks, TestFaults network)
      : spec_(spec), tensors_(spec.pipeline, spec.seed), ranks_(ranks, std::move(network)) {
    const Layout layout(spec.workers, ranks, {});
    for (int rank = 0; rank < ranks; ++rank) {
      std::vector<std::unique_ptr<Device>> own;
      for (int gpu = 0; gpu < layout.gpus(rank); ++gpu) {
        auto device = std::make_unique<StepDevice>(
            [this] { return ranks_.now_ns(); },
            [](std::size_t batch) { return static_cast<TimeNs>(4 + batch) * kNsPerMs / 2; },
            [this](DeviceModel model, const Picture& one) {
              return is_right(static_cast<ModuleId>(model), one);
            });
        devices_.push_back(device.get());
        own.push_back(std::move(device));
      }
      workers_.push_back(
          std::make_unique<DeviceWorkers>(std::move(own), static_cast<std::uint32_t>(layout.first_gpu(rank)),
                                          DeviceWorkers::Models{spec.pipeline, spec.profiles, 7}));
    }
  }

  RunRecord run() {
    RanksInStep::Devices devices;
    for (const auto& workers : workers_) devices.by_rank.push_back(workers.get());
    devices.next_end_ns = [this] {
      TimeNs next = kNever;
      for (const StepDevice* device : devices_) next = std::min(next, device->next_end_ns());
      return next;
    };
    return ranks_.run(spec_, {}, nullptr, &devices);
  }

  const std::vector<StepDevice*>& devices() const { return devices_; }

 private:
  /// What clients send to the first module; elsewhere what the first of the module's `pres` leaves behind,
  /// for the requests of these pipelines take all branches.
  bool is_right(ModuleId module, const Picture& picture) {
    const Module& declared = spec_.pipeline.modules[module];
    const auto bytes = std::as_bytes(picture.bytes);
    if (picture.height != declared.input_height || bytes.size() != declared.input_bytes) return false;
    for (RequestId request = 0; request < 8; ++request) {
      const std::span<const std::byte> made = declared.pres.empty()
                                                  ? tensors_.input(request)
                                                  : tensors_.output(declared.pres.front(), request).span();
      if (std::equal(bytes.begin(), bytes.end(), made.begin())) return true;
    }
    return false;
  }

  const RunSpec& spec_;
  Tensors tensors_;
  std::vector<StepDevice*> devices_;
  std::vector<std::unique_ptr<DeviceWorkers>> workers_;
  RanksInStep ranks_;  ///< last: its loops end before what they use
};

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
      TestFaults network;
      network.delay_ns = static_cast<TimeNs>(random.below(3) * kNsPerMs);
      network.jitter_ns = static_cast<TimeNs>(random.below(5) * kNsPerMs);
      network.seed = random.bits();
      const int ranks = 1 + static_cast<int>(random.below(5));
      SCOPED_TRACE(std::string(entry.name) + " round " + std::to_string(round) + " on " +
                   std::to_string(ranks));
      RanksWithDevices cluster(spec, ranks, network);
      const RunRecord record = cluster.run();
      EXPECT_EQ(record.sent, record.in_time + record.late + record.dropped);
      EXPECT_EQ(record.why_invalid, "");
      std::uint64_t pictures = 0;
      std::uint64_t prepared = 0;
      for (const StepDevice* device : cluster.devices()) {
        EXPECT_EQ(device->wrong_pictures(), 0u);
        pictures += device->pictures();
        prepared += device->prepared_batches();
        others += device->other_batches();
        // The tensors of one rank are there when a visit joins, and no batch is lost without a fault.
        if (ranks <= 2 && spec.faults.empty()) {
          EXPECT_EQ(device->other_batches(), 0u);
        }
      }
      EXPECT_GT(pictures, 0u);
      EXPECT_GT(prepared, 0u);
      for (const RankTotals& rank : record.ranks) {
        EXPECT_EQ(rank.tensors_left, 0u) << "rank " << rank.rank;
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

}  // namespace
}  // namespace harness

// The devices of a rank from cell to cell: each cell has what it needs whatever came before, devices that
// failed are gone, and nothing is loaded twice without need.
#include "harness/experiment/running/cell_devices.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/random_stream.h"
#include "harness/experiment/cells/test_experiment_text.h"
#include "harness/experiment/running/run_cell.h"
#include "harness/gpu/device/test_scripted_device.h"
#include "harness/live/transport/local_transport.h"

namespace harness {
namespace {

/// A cell with its world. Models have exit points if the system preempts.
struct DeviceCell {
  DeviceCell(const std::string& pipeline, int workers, int seed, const std::string& system = "nexus")
      : spec(parse("runtime = \"gpu\"\n[workload]\npipelines = [\"" + pipeline +
                   "\"]\ntraces = [\"poisson\"]\nrates_rps = [50]\nduration_s = 1\n[cluster]\nworkers = " +
                   std::to_string(workers) + "\n[gpu]\ndevice = \"null\"\nweights_seed = " +
                   std::to_string(seed) + "\n[[system]]\nname = \"" + system + "\"\n")),
        factory(spec, "b"),
        prepared(factory.prepare(factory.cells().front())),
        world(factory.make_run(prepared)) {
    for (Profile& profile : world.profiles) profile.exit_points = 2;
  }

  DeviceCell& with_batches(const std::vector<int>& batches) {
    for (std::size_t m = 0; m < batches.size(); ++m) prepared.plan.modules[m].max_batch = batches[m];
    return *this;
  }
  std::vector<int> batches() const { return largest_batches(world, prepared.plan); }

  ExperimentSpec spec;
  CellFactory factory;
  PreparedCell prepared;
  RunSpec world;
};

/// Makes scripted devices for a CellDevices, and counts them.
class ManyDevices {
 public:
  explicit ManyDevices(DeviceScript how = {}) : script(std::move(how)) {
    script.latency = [](const ModelSource&, int) { return TimeNs{0}; };
  }

  std::unique_ptr<Device> make(const DeviceSpec& spec, Device::Wake wake) {
    ++made;
    DeviceScript with_token = script;
    with_token.on_load = [token = token_] {};
    auto device = std::make_unique<ScriptedDevice>(with_token, std::move(wake));
    last_[spec.worker] = device.get();
    return device;
  }
  CellDevices::MakeDevice maker() {
    return [this](const DeviceSpec& spec, Device::Wake wake) { return make(spec, std::move(wake)); };
  }
  ScriptedDevice& of_worker(int worker) { return *last_.at(worker); }
  /// Returns the number of devices that exist.
  int alive() const { return static_cast<int>(token_.use_count()) - 1; }

  DeviceScript script;
  int made = 0;

 private:
  std::shared_ptr<int> token_ = std::make_shared<int>(0);
  std::map<int, ScriptedDevice*> last_;
};

/// The devices of one rank from cell to cell.
struct RankDevices {
  std::unique_ptr<Transport> transport = make_local_transport();
  ManyDevices devices;
  CellDevices kept{*transport, {}, devices.maker()};
};

class CellDevicesTest : public testing::Test, public RankDevices {};

/// Runs a batch of the module's largest size on the worker's device; returns the model that it went through.
ModelSource ran_through(DeviceWorkers& workers, ManyDevices& devices, const DeviceCell& cell, int worker,
                        ModuleId module) {
  const std::vector<int> one = cell.batches();
  std::vector<int> batches(one.size(), 0);
  batches[module] = one[module];
  workers.try_batches(batches);
  const DeviceDiary& diary = devices.of_worker(worker).diary();
  EXPECT_EQ(diary.batch_sizes.back(), static_cast<std::size_t>(one[module]));
  return diary.models.at(diary.batch_models.back());
}

void expect_serves(DeviceWorkers& workers, ManyDevices& devices, const DeviceCell& cell) {
  for (ModuleId m = 0; m < cell.batches().size(); ++m) {
    for (int worker = 0; worker < cell.world.workers; ++worker) {
      const ModelSource source = ran_through(workers, devices, cell, worker, m);
      EXPECT_EQ(source.model, cell.world.pipeline.modules[m].model);
      EXPECT_EQ(source.seed, static_cast<std::uint64_t>(cell.prepared.settings.gpu.weights_seed));
      EXPECT_EQ(source.precision, cell.prepared.settings.gpu.precision);
      EXPECT_GE(source.max_batch, cell.batches()[m]);
      EXPECT_EQ(source.exit_points, cell.world.system->traits().preempts ? 2 : 0);
      EXPECT_TRUE(source.exit_points == 0 || source.max_batch == cell.batches()[m])
          << "other places of exit points";
    }
  }
}

TEST(CellDevicesOfCells, EachCellHasWhatItNeedsWhateverCameBefore) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream random(seed, "cell_devices");
    RankDevices rank;
    auto& [transport, devices, kept] = rank;
    if (seed % 2 == 1) devices.script.note = ": no CUDA graph";
    bool is_kept = false;
    std::vector<int> before;
    std::string what_before;
    for (int i = 0; i < 12; ++i) {
      const std::string pipeline = random.below(2) == 0 ? "tm" : "lv";
      const auto workers_seed = static_cast<int>(random.below(4));
      const std::string system = random.below(2) == 0 ? "nexus" : "shepherd";
      DeviceCell cell(pipeline, 6 + workers_seed / 3, 1 + workers_seed % 2, system);
      cell.prepared.settings.gpu.precision = static_cast<Precision>(random.below(2));
      std::vector<int> batches;
      for (std::size_t m = 0; m < cell.prepared.plan.modules.size(); ++m)
        batches.push_back(1 + static_cast<int>(random.below(3)));
      cell.with_batches(batches);
      const std::string what =
          pipeline + std::to_string(workers_seed) + system + name_of(cell.prepared.settings.gpu.precision);
      const int made = devices.made;
      std::unique_ptr<DeviceWorkers> workers = kept.take(cell.world, cell.prepared);
      EXPECT_EQ(devices.alive(), cell.world.workers) << "the models of one cell are in memory";
      const bool is_reused = devices.made == made;
      EXPECT_TRUE(is_kept || !is_reused) << "none was given back";
      const bool is_same = is_kept && what == what_before && batches == before;
      EXPECT_TRUE(is_reused || !is_same);
      EXPECT_EQ(kept.loading().text.starts_with("loaded nothing"), is_reused) << kept.loading().text;
      expect_serves(*workers, devices, cell);
      const std::vector<ModelSource>& loaded = devices.of_worker(0).diary().models;
      for (std::size_t m = 0; m < loaded.size() && seed % 2 == 1; ++m)
        EXPECT_EQ(loaded[m].max_batch, batches[m]) << "a note could come of larger batches";
      is_kept = random.below(4) != 0;
      before = batches;
      what_before = what;
      if (is_kept) kept.give_back(std::move(workers));
    }
  }
}

TEST_F(CellDevicesTest, SystemsThatPlanLargerBatchesInTurnLoadThemOnce) {
  DeviceCell one("tm", 3, 1);
  DeviceCell other("tm", 3, 1);
  one.with_batches({1, 2, 3});
  other.with_batches({3, 2, 1});
  for (int i = 0; i < 3; ++i) {
    for (DeviceCell* cell : {&one, &other}) {
      auto workers = kept.take(cell->world, cell->prepared);
      expect_serves(*workers, devices, *cell);
      kept.give_back(std::move(workers));
    }
  }
  EXPECT_EQ(devices.made, 2 * 3);
}

TEST_F(CellDevicesTest, WhatAnotherCellHadIsLoadedOnlyWhereItFits) {
  DeviceCell one("tm", 3, 1);
  DeviceCell other("tm", 3, 1);
  one.with_batches({4, 2, 2});
  other.with_batches({3, 3, 3});
  kept.give_back(kept.take(one.world, one.prepared));
  devices.script.fits = 3;
  const auto workers = kept.take(other.world, other.prepared);
  expect_serves(*workers, devices, other);
  for (const ModelSource& source : devices.of_worker(0).diary().models) EXPECT_EQ(source.max_batch, 3);
}

TEST_F(CellDevicesTest, LostDevicesAreNotKept) {
  DeviceCell cell("tm", 3, 1);
  for (const auto fault : {&DeviceScript::lost_from, &DeviceScript::refuses_at, &DeviceScript::fails_at}) {
    auto workers = kept.take(cell.world, cell.prepared);
    devices.of_worker(1).script.*fault = devices.of_worker(1).diary().batch_sizes.size();
    kept.give_back(std::move(workers));
    EXPECT_EQ(devices.alive(), 0);
  }
  EXPECT_EQ(devices.made, 3 * 3);
}

TEST_F(CellDevicesTest, NoImageIsKeptBetweenCells) {
  DeviceCell cell("tm", 3, 1);
  auto workers = kept.take(cell.world, cell.prepared);
  const Module& module = cell.world.pipeline.modules[1];
  auto owner = std::make_shared<std::vector<std::uint8_t>>(
      3U * static_cast<std::size_t>(module.input_height) * static_cast<std::size_t>(module.input_width));
  workers->prepare(2, 1, {*owner, module.input_height, module.input_width}, owner);
  EXPECT_EQ(owner.use_count(), 2);
  kept.give_back(std::move(workers));
  EXPECT_EQ(owner.use_count(), 1);
  EXPECT_EQ(devices.alive(), 3);
}

TEST(CellDevicesOfCells, ALiveCellGivesThemBack) {
  const auto transport = make_local_transport();
  CellDevices kept(*transport, {});
  DeviceCell cell("tm", 6, 1);
  std::string path = testing::TempDir() + "/cell-devices-XXXXXX";
  const std::string folder = ::mkdtemp(path.data());
  CellRun how;
  how.path = folder + "/cell.h5";
  BoundCache bounds;
  for (int i = 0; i < 2; ++i) {
    LiveCell live(cell.factory, cell.prepared, how, *transport, kept);
    EXPECT_EQ(kept.loading().text.starts_with("loaded nothing"), i == 1) << kept.loading().text;
    EXPECT_TRUE(live.run(bounds, [] {}).has_value());
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace harness

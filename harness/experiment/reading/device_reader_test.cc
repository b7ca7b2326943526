// [[cluster.device]]: kinds of devices with prices, read, refused, made into cells.
#include "harness/experiment/reading/device_reader.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "harness/experiment/cells/cell_factory.h"
#include "harness/experiment/cells/cell_profiles.h"
#include "harness/experiment/cells/prepared_cell.h"
#include "harness/experiment/cells/test_experiment_text.h"
#include "harness/experiment/reading/experiment_spec.h"
#include "harness/files/file_bytes.h"
#include "harness/record/run/worker_metrics.h"
#include "harness/sim/simulation.h"

namespace harness {
namespace {

/// Tests with profiles of two models on a cpu, one of them also on a k80, in a folder of its own.
class Devices : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_);
    write_file(folder_ / "set.toml",
               "source = 'a test'\n"
               "[[profile]]\nmodel = 'small'\ndevice = 'cpu'\nlatency_ms = [10, 15]\n"
               "[[profile]]\nmodel = 'large'\ndevice = 'cpu'\nlatency_ms = [100]\n"
               "[[profile]]\nmodel = 'large'\ndevice = 'k80'\nlatency_ms = [20, 24, 28]\n");
    write_file(folder_ / "pipe.toml",
               "slo_ms = 500\n[[module]]\nname = 'a'\nmodel = 'small'\nsubs = ['b']\n"
               "[[module]]\nname = 'b'\nmodel = 'large'\n");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string text(const std::string& cluster, const std::string& workload = "rates_rps = [5]") const {
    return "[workload]\npipelines = ['" + (folder_ / "pipe.toml").string() + "']\ntraces = ['poisson']\n" +
           workload + "\nduration_s = 10\n[cluster]\nprofiles = '" + (folder_ / "set.toml").string() + "'\n" +
           cluster + "[[system]]\nname = 'naive'\n";
  }
  static std::string device(const std::string& name,
                            const std::string& rest = "count = 3\nusd_per_h = 0.5\n") {
    return "[[cluster.device]]\nname = '" + name + "'\n" + rest;
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("harness_devices_" + std::to_string(getpid()));
};

// By hand: a takes 7.5 ms a request on a cpu; b 100 ms there and 9.33 ms on a k80. Two k80 carry 214/s of b;
// four cpus carry 533/s of a, or less and some of b: at rate r they have 4 - 0.0075 r left for (r - 214.3) x
// 0.1 of b, r = (4 + 21.43) / 0.1075.
TEST_F(Devices, RatesAreRelativeToWhatAllKindsCarry) {
  std::string file =
      text(device("cpu", "count = 4\nusd_per_h = 1\n") + device("k80", "count = 2\nusd_per_h = 1\n"));
  file.replace(file.find("naive"), 5, "inferline");
  const ExperimentSpec spec = parse(file);
  CellFactory factory(spec, "b");
  RunSpec run = factory.make_world(factory.cells().front());
  EXPECT_NEAR(capacity_of_kinds_rps(run), (4 + 0.1 * 2 * 3 / 0.028) / 0.1075, 1e-6);
}

// The fastest kinds take 10 and 20 ms for one request.
TEST_F(Devices, SlosAreMultiplesOfTheShortestServiceTime) {
  std::string file = text(device("cpu") + device("k80"), "rates_rps = [5]\nslo_factors = [1.5, 4]");
  file.replace(file.find("naive"), 5, "inferline");
  const ExperimentSpec spec = parse(file);
  CellFactory factory(spec, "b");
  ASSERT_EQ(factory.cells().size(), 2U);
  EXPECT_EQ(factory.prepare(factory.cells()[0]).slo_ns, ms_to_ns(45));
  EXPECT_EQ(factory.prepare(factory.cells()[1]).slo_ns, ms_to_ns(120));
  EXPECT_TRUE(has(factory.prepare(factory.cells()[1]).identity.effective_toml, "slo_ms = [120]"));
  std::string both = file;
  both.replace(both.find("slo_factors"), 0, "slo_ms = 3\n");
  EXPECT_THROW(parse(both), InputError);
}

TEST_F(Devices, OneKindGivesAnySystemItsCosts) {
  const ExperimentSpec spec = parse(text(device("cpu")));
  CellFactory factory(spec, "b");
  const PreparedCell cell = factory.prepare(factory.cells().front());
  ASSERT_EQ(cell.why, "");
  const RunSpec run = factory.make_run(cell);
  EXPECT_EQ(run.workers, 3);
  ASSERT_EQ(run.devices.size(), 1U);
  EXPECT_EQ(run.profiles[1].latency(1), ms_to_ns(100));
  EXPECT_NEAR(cost_usd(simulate(run, nullptr)), 3 * 0.5 * 10 / 3600, 1e-12);
  EXPECT_TRUE(
      has(cell.identity.effective_toml, "[[cluster.device]]\nname = \"cpu\"\ncount = 3\nusd_per_h = 0.5\n"));
  EXPECT_FALSE(has(cell.identity.effective_toml, "workers = 3"));
}

TEST_F(Devices, TheirTablesReadBackAsTheSame) {
  const std::vector<DeviceAt> devices = {{"cpu", 512, 0.0665, {}}, {"NVIDIA \"K80\"", 1, 0, {}}};
  const std::vector<DeviceAt> read = parse(text(device_tables(devices))).base.devices;
  ASSERT_EQ(read.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read[i].name, devices[i].name);
    EXPECT_EQ(read[i].count, devices[i].count);
    EXPECT_EQ(read[i].usd_per_h, devices[i].usd_per_h);
  }
}

TEST_F(Devices, WhatIsWrongIsSaidInALine) {
  EXPECT_TRUE(has(error_of(text(device("cpu", "usd_per_h = 1\n"))), "cluster.device.count"));
  EXPECT_TRUE(
      has(error_of(text(device("cpu", "count = 0\nusd_per_h = 1\n"))), "cluster.device.count: found 0"));
  EXPECT_TRUE(has(error_of(text(device("cpu", "count = 1\n"))), "cluster.device.usd_per_h"));
  EXPECT_TRUE(has(error_of(text(device("cpu", "count = 1\nusd_per_h = -1\n"))),
                  "cluster.device.usd_per_h: found -1"));
  EXPECT_TRUE(has(error_of(text(device("cpu") + device("cpu"))), "found a second kind named 'cpu'"));
  EXPECT_TRUE(
      has(error_of(text("workers = 4\n" + device("cpu"))), "found workers beside [[cluster.device]]"));
  const std::string swept = "[[sweep]]\nkey = 'cluster.workers'\nvalues = [2, 4]\n";
  EXPECT_TRUE(has(error_of(text(device("cpu")) + swept), "found workers beside [[cluster.device]]"));
  EXPECT_TRUE(has(error_of(text(device("cpu")) + "set = { 'cluster.workers' = 2 }\n"),
                  "found workers beside [[cluster.device]]"));
  EXPECT_TRUE(has(error_of_cells(text(device("cpus"))),
                  "found unknown device of the profiles set 'cpus', did you mean 'cpu'?"));
  EXPECT_TRUE(has(error_of_cells(text(device("k80"))), "found no profile of small in set on k80"));
  EXPECT_TRUE(has(error_of_cells(text("")),
                  "found profiles of large on cpu, k80 in set; allowed: [[cluster.device]]"));
  EXPECT_TRUE(has(error_of_cells(text(device("cpu") + device("k80"))),
                  "found naive, which plans for one kind of device, with 2 in [[cluster.device]]"));
}

}  // namespace
}  // namespace harness

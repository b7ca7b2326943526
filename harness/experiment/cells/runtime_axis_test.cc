// Runtimes as an axis, and the settings that concern one of them.
#include <gtest/gtest.h>

#include <map>

#include "harness/experiment/cells/cell_factory.h"
#include "harness/experiment/cells/prepared_cell.h"
#include "harness/experiment/cells/test_experiment_text.h"
#include "harness/experiment/running/dry_run.h"

namespace harness {
namespace {

const std::string kTwoLoads = R"([workload]
pipelines = ["tm"]
traces = ["poisson"]
loads = [0.5, 1.5]
duration_s = 10
[[system]]
name = "naive"
[[system]]
name = "pard"
)";
const std::string kBothRuntimes = "runtime = [\"simulated\", \"emulated\"]\n" + kTwoLoads;

TEST(RuntimeAxis, SimulatedUnlessTheFileSaysOtherwise) {
  EXPECT_EQ(parse(kTwoLoads).runtimes, std::vector<Runtime>{Runtime::kSimulated});
  EXPECT_EQ(parse("runtime = \"emulated\"\n" + kTwoLoads).runtimes, std::vector<Runtime>{Runtime::kEmulated});
  EXPECT_EQ(parse("runtime = [\"emulated\", \"simulated\"]\n" + kTwoLoads).runtimes,
            (std::vector<Runtime>{Runtime::kEmulated, Runtime::kSimulated}));
  EXPECT_EQ(parse(kBothRuntimes, {"runtime=simulated"}).runtimes, std::vector<Runtime>{Runtime::kSimulated});
}

TEST(RuntimeAxis, OtherRuntimesAreErrors) {
  const std::string tpu = error_of("runtime = \"tpu\"\n" + kTwoLoads);
  EXPECT_TRUE(has(tpu, "test.toml:1: runtime")) << tpu;
  EXPECT_TRUE(has(tpu, "simulated, emulated, gpu")) << tpu;
  EXPECT_TRUE(has(error_of("runtime = [\"simulated\", \"live\"]\n" + kTwoLoads), "\"live\""));
  EXPECT_TRUE(has(error_of("runtime = [\"emulated\", \"emulated\"]\n" + kTwoLoads), "twice"));
  EXPECT_TRUE(has(error_of("runtime = []\n" + kTwoLoads), "empty"));
}

TEST(RuntimeAxis, IsTheOutermostLoopInTheGivenOrder) {
  const std::vector<PreparedCell> cells =
      prepare_all(parse("runtime = [\"emulated\", \"simulated\"]\n" + kTwoLoads));
  ASSERT_EQ(cells.size(), 8U);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(cells[i].identity.runtime, i < 4 ? "emulated" : "simulated");
    EXPECT_EQ(cells[i].identity.system, i % 2 == 0 ? "naive" : "pard");
    // The same requests in both.
    EXPECT_EQ(cells[i].arrivals_text, cells[(i + 4) % 8].arrivals_text);
    EXPECT_EQ(cells[i].capacity_rps, cells[(i + 4) % 8].capacity_rps);
  }
}

TEST(RuntimeAxis, ASweepOfLiveSettingsMultipliesEmulatedCellsAlone) {
  const std::vector<PreparedCell> cells =
      prepare_all(parse(kBothRuntimes + sweep("live.repeat", "[1, 2, 3]")));
  EXPECT_EQ(cells.size(), 4U + 3 * 4);
  EXPECT_EQ(cells[0].identity.parameters, "");
  EXPECT_EQ(cells[4].identity.parameters, "live.repeat=1");
  EXPECT_EQ(cells[15].identity.parameters, "live.repeat=3");
  EXPECT_EQ(cells[15].settings.live.repeat, 3);
  EXPECT_EQ(prepare_all(parse(kTwoLoads + sweep("live.repeat", "[1, 2, 3]"))).size(), 4U);
}

TEST(RuntimeAxis, ASweepOfSimulatedLinksMultipliesSimulatedCellsAlone) {
  for (const char* key :
       {"cluster.network_delay_ms", "cluster.scheduler_cost_us", "cluster.scheduler_queue_limit_ms"}) {
    const ExperimentSpec spec = parse(kBothRuntimes + sweep(key, "[1, 2]"));
    const std::vector<PreparedCell> cells = prepare_all(spec);
    EXPECT_EQ(cells.size(), 2U * 4 + 4);
    EXPECT_EQ(cells[11].identity.runtime, "emulated");
  }
}

TEST(RuntimeAxis, EmulatedCellsHaveNoSimulatedLinks) {
  const ExperimentSpec spec =
      parse(kBothRuntimes + "[cluster]\nnetwork_delay_ms = 3\n[serving]\nstate_delay_ms = 4\n");
  CellFactory factory(spec, "b");
  for (const Cell& cell : factory.cells()) {
    const RunSpec run = factory.make_run(factory.prepare(cell));
    const bool live = cell.runtime == Runtime::kEmulated;
    EXPECT_EQ(run.world.network_delay_ms, live ? 0 : 3);
    EXPECT_EQ(run.serving.state_delay_ms, live ? 0 : 4);
  }
}

TEST(RuntimeAxis, EmulatedCellsPayTheRealCostOfScheduling) {
  const ExperimentSpec spec =
      parse(kBothRuntimes + "[cluster]\nscheduler_cost = \"fixed\"\nscheduler_queue_limit_ms = 5\n");
  CellFactory factory(spec, "b");
  for (const Cell& cell : factory.cells()) {
    const PreparedCell prepared = factory.prepare(cell);
    const bool live = cell.runtime == Runtime::kEmulated;
    const WorldParams world = factory.make_run(prepared).world;
    EXPECT_EQ(world.scheduler_cost, live ? SchedulerCost::kFree : SchedulerCost::kFixed);
    EXPECT_EQ(world.scheduler_queue_limit_ms, live ? 0 : 5);
  }
}

TEST(RuntimeAxis, CellsOnDevicesAreLiveAndHaveSettingsOfTheirOwn) {
  const ExperimentSpec spec =
      parse("runtime = [\"simulated\", \"emulated\", \"gpu\"]\n" + kTwoLoads +
            "[cluster]\nnetwork_delay_ms = 3\njitter = \"uniform\"\n[gpu]\ndevice = \"null\"\n" +
            sweep("gpu.threads", "[1, 2]") + sweep("live.repeat", "[1, 2, 3]"));
  CellFactory factory(spec, "b");
  std::map<std::string, int> cells;
  for (const Cell& cell : factory.cells()) {
    const PreparedCell prepared = factory.prepare(cell);
    const std::string runtime = prepared.identity.runtime;
    ++cells[runtime];
    EXPECT_EQ(is_live(prepared), runtime != "simulated");
    EXPECT_EQ(has(prepared.identity.effective_toml, "[live]"), runtime != "simulated");
    EXPECT_EQ(has(prepared.identity.effective_toml, "[gpu]"), runtime == "gpu");
    EXPECT_EQ(has(prepared.identity.effective_toml, "payload = true"), runtime == "gpu");
    const RunSpec run = factory.make_run(prepared);
    EXPECT_EQ(run.world.network_delay_ms, runtime == "simulated" ? 3 : 0);
    EXPECT_EQ(run.world.jitter, runtime == "gpu" ? Jitter::kOff : Jitter::kUniform);
    EXPECT_EQ(prepared.settings.gpu.device, DeviceKind::kNull);
  }
  EXPECT_EQ(cells, (std::map<std::string, int>{{"simulated", 4}, {"emulated", 3 * 4}, {"gpu", 2 * 3 * 4}}));
}

TEST(RuntimeAxis, LiveSettingsAreReadFromTheFileAndFromSet) {
  const ExperimentSpec spec =
      parse(kBothRuntimes + "[live]\ngpus_per_rank = 8\npayload = true\n", {"live.clock_period_s=2.5"});
  EXPECT_EQ(spec.base.live.gpus_per_rank, 8);
  EXPECT_TRUE(spec.base.live.payload);
  EXPECT_EQ(spec.base.live.clock_period_s, 2.5);
  EXPECT_TRUE(has(error_of(kTwoLoads + "[live]\ngpus = 8\n"), "live.gpus"));
  EXPECT_TRUE(has(error_of(kTwoLoads + "set = { \"live.repeat\" = 2 }\n"), "live.repeat"));
}

/// Nothing live shows in what a simulated cell depends on; an emulated one depends on all of it.
TEST(RuntimeAxis, LiveSettingsChangeTheHashesOfEmulatedCellsAlone) {
  const std::vector<PreparedCell> plain = prepare_all(parse(kBothRuntimes));
  const std::vector<PreparedCell> set = prepare_all(parse(kBothRuntimes + "[live]\npayload = true\n"));
  const std::vector<PreparedCell> alone = prepare_all(parse(kTwoLoads));
  ASSERT_EQ(plain.size(), 8U);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(plain[i].identity.input_hash == set[i].identity.input_hash, i < 4) << i;
  }
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(plain[i].identity.input_hash, alone[i].identity.input_hash);
  EXPECT_FALSE(has(alone[0].identity.effective_toml, "live"));
  EXPECT_FALSE(has(alone[0].identity.effective_toml, "cell_limit_s"));
  EXPECT_TRUE(has(set[4].identity.effective_toml, "payload = true"));
}

TEST(RuntimeAxis, TheEffectiveSettingsAreAnExperimentWithThatCell) {
  const std::string faults =
      "[[fault]]\nkind = \"slow\"\nat_s = 1.5\nfor_s = 2\ngpus = [3, 5]\nfactor = 2.5\n";
  const ExperimentSpec spec = parse("cell_limit_s = 90\n" + kBothRuntimes + "[live]\nrepeat = 7\n" + faults);
  for (const PreparedCell& cell : prepare_all(spec)) {
    const ExperimentSpec again = parse(cell.identity.effective_toml);
    EXPECT_EQ(again.cell_limit_s, 90);
    ASSERT_EQ(again.base.faults.size(), 1U);
    const std::vector<PreparedCell> one = prepare_all(again);
    ASSERT_EQ(one.size(), 1U);
    EXPECT_EQ(one[0].identity.runtime, cell.identity.runtime);
    EXPECT_EQ(one[0].settings.live.repeat, cell.identity.runtime == "emulated" ? 7 : 1);
  }
}

TEST(RuntimeAxis, ALimitIsANumberOfSeconds) {
  EXPECT_EQ(parse(kTwoLoads).cell_limit_s, 0);
  EXPECT_EQ(parse("cell_limit_s = 2.5\n" + kTwoLoads).cell_limit_s, 2.5);
  EXPECT_TRUE(has(error_of("cell_limit_s = -1\n" + kTwoLoads), "test.toml:1: cell_limit_s"));
  EXPECT_TRUE(has(error_of("cell_limit_s = [1, 2]\n" + kTwoLoads), "cell_limit_s"));
}

TEST(RuntimeAxis, TheDryRunShowsLayoutsAndTheTimeOfLiveCells) {
  const std::vector<PreparedCell> cells = prepare_all(parse(kBothRuntimes + "[live]\ngpus_per_rank = 8\n"));
  EXPECT_EQ(layout_text(cells, 9), "emulated: 64 workers on 8 of 9 ranks, at most 8 on each; rank 0 sends\n");
  EXPECT_EQ(layout_text(cells, 1), "emulated: 64 workers in one process with the load generator\n");
  EXPECT_TRUE(has(dry_run_total(cells), "40 s of wall-clock time")) << dry_run_total(cells);
  EXPECT_TRUE(has(dry_run_table(cells), "emulated"));
  const std::vector<PreparedCell> simulated = prepare_all(parse(kTwoLoads));
  EXPECT_EQ(layout_text(simulated, 9), "");
  EXPECT_FALSE(has(dry_run_total(simulated), "wall-clock"));
}

}  // namespace
}  // namespace harness

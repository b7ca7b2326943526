// [cluster] with servers: read, refused, made into cells, skipped.
#include "harness/experiment/cells/cluster_checks.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "harness/experiment/cells/cell_factory.h"
#include "harness/experiment/cells/prepared_cell.h"
#include "harness/experiment/cells/test_experiment_text.h"
#include "harness/files/file_bytes.h"

namespace harness {
namespace {

class ServerCells : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_);
    write_file(folder_ / "set.toml",
               "device = 'A40'\n[[profile]]\nmodel = 'small'\nlatency_ms = [10]\nmemory_mb = 5000\n"
               "cpu_ms = 10\ncores = 2\n"
               "[[profile]]\nmodel = 'large'\nlatency_ms = [20]\nmemory_mb = 60000\ngpus = 2\n");
    write_file(folder_ / "pipe.toml",
               "slo_ms = 500\n[[module]]\nname = 'a'\nmodel = 'small'\nsubs = ['b']\n"
               "[[module]]\nname = 'b'\nmodel = 'large'\n");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string text(const std::string& cluster) const {
    return "[workload]\npipelines = ['" + (folder_ / "pipe.toml").string() +
           "']\ntraces = ['poisson']\nrates_rps = [5]\nduration_s = 10\n[[system]]\nname = 'naive'\n" +
           "[cluster]\nprofiles = '" + (folder_ / "set.toml").string() + "'\n" + cluster;
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("harness_servers_" + std::to_string(getpid()));
};

TEST_F(ServerCells, HaveTheShapeOfTheirServers) {
  const ExperimentSpec spec =
      parse(text("workers = 12\ngpus_per_server = 4\nserver_cores = 108\nserver_memory_gb = "
                 "1024\ngpu_memory_gb = 48\n"));
  CellFactory factory(spec, "b");
  const PreparedCell cell = factory.prepare(factory.cells().front());
  EXPECT_EQ(cell.why, "");
  EXPECT_EQ(servers_text(cell.settings), "3 servers of 4 GPUs, 108 cores, 1024 GB");
  EXPECT_TRUE(has(cell.identity.effective_toml, "gpus_per_server = 4\n"));
  const RunSpec run = factory.make_run(cell);
  EXPECT_EQ(run.servers.gpus, 4);
  EXPECT_EQ(run.servers.cores, 108);
  EXPECT_EQ(run.servers.memory_mb, 1024e3);
  EXPECT_EQ(run.servers.gpu_memory_mb, 48e3);
  EXPECT_EQ(cell.plan.modules[0].workers + 2 * cell.plan.modules[1].workers, 12) << "GPUs are what is shared";
}

TEST_F(ServerCells, AreRefusedInOneLine) {
  const auto expect = [&](const std::string& cluster, const std::string& message) {
    const std::string line = error_of_cells(text(cluster));
    EXPECT_TRUE(has(line, message)) << line;
  };
  expect("workers = 10\ngpus_per_server = 4\n",
         "4 with 10 GPUs in the cluster; allowed: a number that divides");
  expect("workers = 8\ngpus_per_server = 4\nserver_cores = 0\n", "server_cores: found 0");
  expect("workers = 8\ngpus_per_server = 4\nserver_memory_gb = 0\n", "server_memory_gb: found 0");
  expect("workers = 8\nserver_cores = 8\n", "server_cores without gpus_per_server");
  expect("workers = 8\n", "1 GPU with an instance of large, which takes 2 GPUs");
  expect("workers = 8\ngpus_per_server = 1\n", "1 GPU with an instance of large, which takes 2 GPUs");
  expect("workers = 8\ngpus_per_server = 4\ngpu_memory_gb = 24\n",
         "48 GB on 2 GPUs with an instance of large, which takes 60 GB");
  expect("workers = 8\ngpus_per_server = 4\nserver_memory_gb = 50\n",
         "50 GB with an instance of large, which takes 60 GB");
  expect("workers = 8\ngpus_per_server = 4\nserver_cores = 1\n",
         "1 core with an instance of small, which takes 2 cores");
}

TEST_F(ServerCells, WithMoreCoresThanAServerHasAreRefusedWhereTheyWereSet) {
  const std::string servers = "workers = 8\ngpus_per_server = 4\nserver_cores = 8\n";
  const std::string at_most = "; allowed: at most the 8 cores of a server";
  EXPECT_EQ(error_of_cells(text(servers + "[module.a]\ncores = 9\n")),
            "exp/test.toml:14: module.a.cores: found 9" + at_most);
  EXPECT_EQ(error_of_cells(text(servers + "[[sweep]]\nkey = 'module.a.cores'\n"
                                          "values = [8, 10]\n")),
            "exp/test.toml:15: module.a.cores: found 10" + at_most);
  const std::string a_share = "at most the 2 that a server has for an instance of 'small'";
  std::string quart = text(servers);
  quart.replace(quart.find("'naive'"), 7, "'quart'\nparams = { cores_max = 3 }");
  EXPECT_EQ(error_of_cells(quart), "exp/test.toml:8: quart.cores_max: found 3; allowed: " + a_share);
  std::string table = text(servers + "[quart]\ncores_max = 4\n");
  table.replace(table.find("'naive'"), 7, "'quart'");
  EXPECT_EQ(error_of_cells(table), "exp/test.toml:14: quart.cores_max: found 4; allowed: " + a_share);
  std::string endless = text("workers = 8\n[quart]\ncores = 'on'\n");
  endless.replace(endless.find("'naive'"), 7, "'quart'");
  endless.replace(endless.find("pipe.toml"), 9, "small.toml");
  write_file(folder_ / "small.toml", "slo_ms = 500\n[[module]]\nname = 'a'\nmodel = 'small'\n");
  EXPECT_EQ(error_of_cells(endless),
            "exp/test.toml:12: quart.cores: found on without a limit; allowed: cores_max, or "
            "cluster.server_cores");
}

TEST_F(ServerCells, AreRefusedWithoutCpuTimesWhereCoresArePlanned) {
  const ExperimentSpec spec = parse(text("workers = 8\ngpus_per_server = 4\n"));
  CellFactory factory(spec, "b");
  RunSpec run = factory.make_run(factory.prepare(factory.cells().front()));
  try {
    check_cores(spec.systems.front(), run);
    ADD_FAILURE() << "the profile of large has no cpu_ms";
  } catch (const InputError& error) {
    EXPECT_TRUE(
        has(error.what(), "found naive, which plans cores, with the profile of large, which has no cpu_ms"))
        << error.what();
  }
  run.profiles[1].cpu_ns = kNsPerMs;
  check_cores(spec.systems.front(), run);
}

TEST_F(ServerCells, AreSkippedWhereOneInstanceOfEachDoesNotFit) {
  const ExperimentSpec spec = parse(text("workers = 4\ngpus_per_server = 4\nserver_memory_gb = 62\n"));
  CellFactory factory(spec, "b");
  const std::string why = factory.prepare(factory.cells().front()).why;
  EXPECT_TRUE(has(why, "a takes 1 GPU, 2 cores, 5 GB; after the others a server has at most 2 GPUs, 2 GB"))
      << why;
}

}  // namespace
}  // namespace harness

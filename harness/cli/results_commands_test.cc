// `show` and `figures` as a user calls them.
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "harness/cli/commands.h"
#include "harness/core/environment_error.h"
#include "harness/core/input_error.h"
#include "harness/core/test_refusal.h"
#include "harness/files/file_bytes.h"
#include "harness/record/hdf5/assemble_results.h"
#include "harness/record/hdf5/cell_file_writer.h"
#include "harness/record/hdf5/test_folder.h"
#include "harness/record/hdf5/test_synthetic_run.h"
#include "harness/record/run/test_cells.h"
#include "workloads/catalogue/catalogue.h"

namespace harness {
namespace {

namespace fs = std::filesystem;

/// Returns a cell that could serve 250 requests/s.
SummaryRow goodput_row(std::uint32_t index, const std::string& system, std::uint64_t seed, double goodput) {
  SummaryRow row = test_row(system, "", seed);
  row.cell.index = index;
  row["goodput_rps"] = goodput;
  row["bound_share"] = goodput / 250;
  return row;
}

class ResultsCommands : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    SyntheticSettings settings;
    settings.cell.system = "pard";
    settings.cell.variant = "default";
    settings.cell.pipeline = "tm";
    settings.cell.trace = "tweet";
    settings.cell.load = 1;
    settings.seconds = 5;
    write_synthetic_cell(path("cell"), synthetic_run(settings), false);
    assemble_results(path("a.h5"), {path("cell")}, {});
  }

  /// Writes a results file of cells without rows; returns its path.
  std::string results_of(const std::string& name, const std::vector<SummaryRow>& rows) const {
    std::vector<std::string> cells;
    for (const SummaryRow& row : rows) {
      cells.push_back(path("cell" + std::to_string(cells.size())));
      CellFileWriter(cells.back(), row.cell, {}).finish(row, RunRecord());
    }
    assemble_results(path(name), cells, {});
    return path(name);
  }

  /// Runs `harness WORDS...` and returns what it prints.
  static std::string output_of(std::vector<std::string> words, int expected_code = 0) {
    CLI::App app("harness");
    int exit_code = 0;
    add_show_command(app, exit_code);
    add_figures_command(app, exit_code);
    add_check_command(app, exit_code);
    add_list_command(app, exit_code);
    std::reverse(words.begin(), words.end());
    testing::internal::CaptureStdout();
    try {
      app.parse(words);
    } catch (...) {
      testing::internal::GetCapturedStdout();
      throw;
    }
    EXPECT_EQ(exit_code, expected_code);
    return testing::internal::GetCapturedStdout();
  }
};

TEST_F(ResultsCommands, ShowPrintsARowPerCell) {
  const std::string table = output_of({"show", path("a.h5")});
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 2);
  EXPECT_EQ(table.rfind("cell  system  variant", 0), 0u) << table;
  EXPECT_EQ(output_of({"show", path("a.h5"), "--csv", "--columns", "system,load"}), "system,load\npard,1\n");
  EXPECT_EQ(output_of({"show", path("a.h5"), "--json", "--columns", "trace"}),
            "[\n  {\"trace\": \"tweet\"}\n]\n");
}

TEST_F(ResultsCommands, ShowKeepsAndSortsRowsAndWritesPages) {
  EXPECT_EQ(
      output_of({"show", path("a.h5"), "--csv", "--columns", "system,load", "--filter", "system=nexus"}),
      "system,load\n");
  EXPECT_EQ(output_of({"show", path("a.h5"), "--format", "markdown", "--columns", "system,load", "--filter",
                       "load=1,2", "--sort=-load"}),
            "| system | load |\n|---|---:|\n| pard | 1 |\n");
  EXPECT_EQ(output_of({"show", path("a.h5"), "--format", "latex", "--columns", "system"})
                .rfind("\\begin{tabular}{l}", 0),
            0U);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--filter", "lod=1"}, {"--filter", "load"}, {"--sort", "goodput"}}) {
    std::vector<std::string> all = {"show", path("a.h5")};
    all.insert(all.end(), words.begin(), words.end());
    EXPECT_THROW(output_of(all), InputError) << words[1];
  }
}

TEST_F(ResultsCommands, CheckTellsWhatFilesAreAndWhetherTheyAreSound) {
  const std::string experiment =
      "[workload]\npipelines = ['tm']\ntraces = ['log']\nduration_s = 60\n[trace.log]\nfile = 'log.csv'\n"
      "[cluster]\nworkers = 16\nprofiles = 'shepherd-v100'\n[[system]]\nname = 'naive'\n";
  write_file(path("e.toml"), experiment);
  write_file(path("log.csv"), "arrival_s,model\n0.5,a\n1,b\n");
  write_file(path("odd.toml"), "x = 1\n");
  write_file(path("torn.csv"), "0.5\nx\n");
  write_file(path("f.toml"), experiment);
  write_file(path("all.toml"), "name = 'both'\nsuite = ['e.toml', 'f.toml']\n");
  EXPECT_TRUE(holds(output_of({"check", path("e.toml"), path("log.csv"), path("a.h5")}),
                    "e.toml: experiment e: 1 cell, about ",
                    "\n    trace log: times in column 'arrival_s' (s)",
                    "\n    warning: trace log: the file ends 2 s after from_s = 0",
                    "log.csv: trace: times in column", "a.h5: results: 1 cell, 1 ok"));
  const std::string own = workloads_folder();
  EXPECT_TRUE(holds(output_of({"check", own + "/pipelines/tm.toml", own + "/profiles/rag-a100.toml",
                               own + "/../experiments/claims.toml", path("all.toml")}),
                    "pipeline: 3 modules, SLO 400 ms",
                    "profiles of 4 models: ", "claims file: ", "suite both of 2"));
  for (const char* file : {"odd.toml", "torn.csv", "gone.csv"})
    EXPECT_THROW(output_of({"check", path(file)}), InputError) << file;
}

TEST_F(ResultsCommands, ListNamesTracesFiguresMetricsAndKeys) {
  EXPECT_TRUE(holds(output_of({"list", "traces"}), "    poisson\n", "    wiki  "));
  EXPECT_TRUE(holds(output_of({"list", "figures"}), "pard/fig8  "));
  EXPECT_TRUE(holds(output_of({"list", "metrics"}), "goodput_rps\n"));
  EXPECT_TRUE(holds(output_of({"list", "keys"}), "[trace]\n", "`time_column`"));
}

TEST_F(ResultsCommands, ShowComparesSeedBySeed) {
  const std::string two =
      results_of("two.h5", {goodput_row(0, "pard", 1, 110), goodput_row(1, "nexus", 1, 90),
                            goodput_row(2, "pard", 2, 220), goodput_row(3, "nexus", 2, 200)});
  const std::string csv = output_of({"show", two, "--paired", "goodput_rps", "--baseline", "nexus", "--csv"});
  EXPECT_EQ(csv.substr(0, csv.find('\n')),
            "pipeline,trace,load,slo_ms,series,seeds,goodput_rps,goodput_rps_low,goodput_rps_high,pairs,"
            "difference,difference_low,difference_high,ratio_pairs,ratio,ratio_low,ratio_high,"
            "bound_share_seeds,bound_share,bound_share_low,bound_share_high");
  // Both differences are 20, so that their interval has no width.
  EXPECT_TRUE(holds(csv, "\nlv,tweet,1,500,pard,2,165,", ",2,20,20,20,2,1.16", ",2,0.66,",
                    "\nlv,tweet,1,500,nexus,2,145,"));
  const std::string table = output_of({"show", two, "--paired", "bound_share"});
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 3);
  const std::string json = output_of({"show", path("a.h5"), "--paired", "in_time", "--json"});
  EXPECT_TRUE(holds(json, "\"pairs\": 1, \"difference\": 0, \"difference_low\": null"));
}

TEST_F(ResultsCommands, PairedRowsNameTheirRuntimeWhereThereAreSeveral) {
  std::vector<SummaryRow> rows = {goodput_row(0, "pard", 1, 110), goodput_row(1, "pard", 1, 110)};
  rows[1].cell.runtime = "emulated";
  rows[1] = grouped(rows[1]);
  const std::string csv =
      output_of({"show", results_of("both.h5", rows), "--paired", "goodput_rps", "--csv"});
  EXPECT_EQ(csv.find("pipeline,trace,load,slo_ms,runtime,series,"), 0U) << csv;
  EXPECT_TRUE(holds(csv, "\nlv,tweet,1,500,simulated,pard,", "\nlv,tweet,1,500,emulated,pard,"));
}

TEST_F(ResultsCommands, ShowTellsWhichModelsRequestsWereServed) {
  SummaryRow row = goodput_row(3, "shepherd", 2, 90);
  row.duration_s = 10;
  row.sent = 1000;
  RunRecord record;
  record.modules.resize(4);
  record.modules[0].requests = {400, 300, 60, 30};  // 10 unfinished
  record.modules[1].requests = {600, 600, 0, 0};
  record.modules[3].depth = 2;  // none enters here; at the third model none has
  CellFileWriter(path("models"), row.cell, {"a", "b", "c", "d"}).finish(row, record);
  assemble_results(path("models.h5"), {path("models")}, {});
  EXPECT_EQ(output_of({"show", path("models.h5"), "--models", "--csv"}),
            "cell,system,variant,pipeline,trace,load,seed,runtime,slo_ms,model,sent,in_time,late,dropped,"
            "goodput_rps,drop_rate\n"
            "3,shepherd,default,lv,tweet,1,2,simulated,500,a,400,300,60,30,30,0.225\n"
            "3,shepherd,default,lv,tweet,1,2,simulated,500,b,600,600,0,0,60,0\n"
            "3,shepherd,default,lv,tweet,1,2,simulated,500,c,0,0,0,0,0,\n");
  const std::string table = output_of({"show", path("models.h5"), "--models"});
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 4) << table;
  EXPECT_THROW(output_of({"show", path("models.h5"), "--models", "--columns", "load"}), CLI::ParseError);
  record.modules.clear();
  CellFileWriter(path("older"), row.cell, {}).finish(row, record);
  EXPECT_TRUE(holds(refusal_of([&] {
                      output_of({"show", path("older"), "--models"});
                    }),
                    "no counts of requests by model"));
}

TEST_F(ResultsCommands, ShowTellsWithWhichPlansCellsBegan) {
  SummaryRow row = goodput_row(3, "inferline", 2, 90);
  row.cell.effective_toml = "[[cluster.device]]\nname = \"vcpu\"\n[[cluster.device]]\nname = \"k80\"\n";
  RunRecord record;
  record.modules.resize(3);
  record.plans = {{0, 0, 2, 1, 8 * kNsPerMs, 0, 0.0625}, {0, 1, 5, 16, 40 * kNsPerMs, 1, 0.75}};
  record.plans.push_back({0, 2, 1, 4, kNsPerMs});  // as read from an older file
  record.plans.push_back({kNsPerS, 1, 6, 16, 40 * kNsPerMs, 1, 0.75});
  CellFileWriter(path("plans"), row.cell, {"a", "b", "c"}).finish(row, record);
  assemble_results(path("plans.h5"), {path("plans")}, {});
  EXPECT_EQ(output_of({"show", path("plans.h5"), "--plans", "--csv"}),
            "cell,system,variant,pipeline,trace,load,seed,runtime,slo_ms,module,device,usd_per_h,workers,"
            "max_batch,exec_ms\n"
            "3,inferline,default,lv,tweet,1,2,simulated,500,a,vcpu,0.0625,2,1,8\n"
            "3,inferline,default,lv,tweet,1,2,simulated,500,b,k80,0.75,5,16,40\n"
            "3,inferline,default,lv,tweet,1,2,simulated,500,c,,,1,4,1\n");
  EXPECT_TRUE(holds(output_of({"show", path("plans.h5"), "--plans", "--filter", "device=k80"}), "k80"));
  EXPECT_THROW(output_of({"show", path("plans.h5"), "--plans", "--models"}), CLI::ParseError);
  const std::string without = results_of("baseline.h5", {goodput_row(0, "pard", 1, 110)});
  EXPECT_TRUE(holds(refusal_of([&] { output_of({"show", without, "--plans"}); }), "no plans"));
}

TEST_F(ResultsCommands, ShowComparesWithTheFirstSeriesWhereThereIsNoPard) {
  const std::string two =
      results_of("two.h5", {goodput_row(0, "shepherd", 1, 110), goodput_row(1, "clockwork", 1, 55)});
  testing::internal::CaptureStderr();
  const std::string csv = output_of({"show", two, "--paired", "goodput_rps", "--csv"});
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(said,
            "harness show: the baseline is shepherd, the first configuration of the file (--baseline "
            "SYSTEM[/VARIANT])\n");
  EXPECT_TRUE(holds(csv, "clockwork,1,55,,,1,-55,,,1,0.5,,"));
  testing::internal::CaptureStderr();
  output_of({"show", path("a.h5"), "--paired", "in_time"});
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "pard, as the help says";
}

TEST_F(ResultsCommands, UnknownMetricsAndSeriesAreBadInput) {
  EXPECT_THROW(output_of({"show", path("a.h5"), "--paired", "goodput"}), InputError);
  EXPECT_THROW(output_of({"show", path("a.h5"), "--paired", "system"}), InputError);
  EXPECT_THROW(output_of({"show", path("a.h5"), "--paired", "in_time", "--baseline", "naive"}), InputError);
  EXPECT_THROW(output_of({"show", path("a.h5"), "--baseline", "pard"}), CLI::ParseError);
  EXPECT_THROW(output_of({"show", path("a.h5"), "--paired", "in_time", "--columns", "load"}),
               CLI::ParseError);
}

TEST_F(ResultsCommands, UnknownColumnNamesTheNearest) {
  EXPECT_TRUE(holds(refusal_of([&] {
                      output_of({"show", path("a.h5"), "--columns", "goodput_rp"});
                    }),
                    "goodput_rps"));
}

TEST_F(ResultsCommands, BadFilesAreInputErrors) {
  EXPECT_THROW(output_of({"show", path("none.h5")}), InputError);
  EXPECT_THROW(output_of({"figures", path("none.h5")}), InputError);
  EXPECT_THROW(output_of({"figures", path("none.csv")}), InputError);
  EXPECT_THROW(output_of({"show", path("a.h5"), "--json", "--csv"}), CLI::ParseError);
}

TEST_F(ResultsCommands, FiguresAreDrawnBesideTheFile) {
  const std::string printed = output_of({"figures", path("a.h5")});
  for (const char* ending : {".pdf", ".png"}) {
    const fs::path figure = folder_ / "a-figures" / (std::string("rates") + ending);
    EXPECT_TRUE(fs::exists(figure)) << printed;
    EXPECT_TRUE(holds(printed, figure.string()));
  }
}

TEST_F(ResultsCommands, FiguresAreChosenByName) {
  const std::string printed =
      output_of({"figures", path("a.h5"), "--only", "pard/fig8", "--only", "pard/fig9"});
  EXPECT_TRUE(holds(printed, "pard-fig8.pdf", "pard-fig9.png"));
  EXPECT_FALSE(holds(printed, "rates"));
}

TEST_F(ResultsCommands, UnknownAndImpossibleFiguresAreBadInput) {
  EXPECT_EQ(output_of({"figures", path("a.h5"), "--only", "pard/fig7"}, 2), "");
  EXPECT_EQ(output_of({"figures", path("a.h5"), "--only", "pard/fig13"}, 2), "");
  EXPECT_THROW(output_of({"figures"}), InputError);
}

TEST_F(ResultsCommands, TheListNamesEveryFigure) {
  EXPECT_TRUE(
      holds(output_of({"figures", "--list"}), "general ", "pard/fig2 ", "pard/fig14d ", "pard/fig15 "));
}

TEST_F(ResultsCommands, AMissingPythonIsAnEnvironmentError) {
  setenv("HARNESS_PYTHON", "/no/such/python", 1);
  EXPECT_THROW(output_of({"figures", path("a.h5")}), EnvironmentError);
  unsetenv("HARNESS_PYTHON");
  setenv("HARNESS_HOME", "/no/such/home", 1);
  EXPECT_THROW(output_of({"figures", path("a.h5")}), EnvironmentError);
  unsetenv("HARNESS_HOME");
}

}  // namespace
}  // namespace harness

// `show` and `figures` as a user calls them.
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "harness/cli/commands.h"
#include "harness/core/error.h"
#include "harness/record/results_file.h"
#include "harness/record/synthetic_run.h"
#include "harness/record/test_folder.h"

namespace harness {
namespace {

namespace fs = std::filesystem;

class ResultsCommands : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    SyntheticSettings settings;
    settings.cell.system = "pard";
    settings.cell.variant = "default";
    settings.cell.pipeline = "tm";
    settings.cell.variant = "default";
    settings.cell.trace = "tweet";
    settings.cell.load = 1;
    settings.seconds = 5;
    write_synthetic_cell(path("cell"), synthetic_run(settings), false);
    assemble_results(path("a.h5"), {path("cell")}, {});
  }

  /// Runs `harness WORDS...` and returns what it prints.
  static std::string output_of(std::vector<std::string> words, int expected_code = 0) {
    CLI::App app("harness");
    int exit_code = 0;
    add_show_command(app, exit_code);
    add_figures_command(app, exit_code);
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
  EXPECT_EQ(table.rfind("system  variant", 0), 0u) << table;
  EXPECT_EQ(output_of({"show", path("a.h5"), "--csv", "--columns", "system,load"}), "system,load\npard,1\n");
  EXPECT_EQ(output_of({"show", path("a.h5"), "--json", "--columns", "trace"}),
            "[\n  {\"trace\": \"tweet\"}\n]\n");
}

/// One row of a results file of two systems and two seeds: 110 and 90, 220 and 200 requests/s of 250
/// possible.
SummaryRow goodput_row(std::uint32_t index, const std::string& system, std::uint64_t seed, double goodput) {
  SummaryRow row;
  row.cell.index = index;
  row.cell.system = system;
  row.cell.variant = "default";
  row.cell.pipeline = "tm";
  row.cell.trace = "tweet";
  row.cell.load = 1;
  row.cell.seed = seed;
  row.slo_ms = 400;
  row["goodput_rps"] = goodput;
  row["bound_share"] = goodput / 250;
  return row;
}

TEST_F(ResultsCommands, ShowComparesSeedBySeed) {
  std::vector<std::string> cells;
  const std::vector<SummaryRow> rows = {goodput_row(0, "pard", 1, 110), goodput_row(1, "nexus", 1, 90),
                                        goodput_row(2, "pard", 2, 220), goodput_row(3, "nexus", 2, 200)};
  for (const SummaryRow& row : rows) {
    cells.push_back(path("cell" + std::to_string(row.cell.index)));
    CellFileWriter(cells.back(), row.cell, {}).finish(row, RunRecord());
  }
  assemble_results(path("two.h5"), cells, {});
  const std::string csv =
      output_of({"show", path("two.h5"), "--paired", "goodput_rps", "--baseline", "nexus", "--csv"});
  EXPECT_EQ(csv.substr(0, csv.find('\n')),
            "pipeline,trace,load,slo_ms,series,seeds,goodput_rps,goodput_rps_95,pairs,difference,"
            "difference_95,ratio,ratio_95,bound_share");
  // Both differences are 20, so that their interval has no width.
  EXPECT_NE(csv.find("\ntm,tweet,1,400,pard,2,165,"), std::string::npos) << csv;
  EXPECT_NE(csv.find(",2,20,0,1.16"), std::string::npos) << csv;
  EXPECT_NE(csv.find(",0.66\n"), std::string::npos) << csv;
  EXPECT_NE(csv.find("\ntm,tweet,1,400,nexus,2,145,"), std::string::npos) << csv;
  const std::string table = output_of({"show", path("two.h5"), "--paired", "bound_share"});
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 3);
  const std::string json = output_of({"show", path("a.h5"), "--paired", "in_time", "--json"});
  EXPECT_NE(json.find("\"pairs\": 1, \"difference\": 0, \"difference_95\": null"), std::string::npos) << json;
}

TEST_F(ResultsCommands, PairedRowsNameTheirRuntimeWhereThereAreSeveral) {
  std::vector<std::string> cells;
  for (const char* runtime : {"simulated", "emulated"}) {
    SummaryRow row = goodput_row(static_cast<std::uint32_t>(cells.size()), "pard", 1, 110);
    row.cell.runtime = runtime;
    cells.push_back(path(std::string("cell.") + runtime));
    CellFileWriter(cells.back(), row.cell, {}).finish(row, RunRecord());
  }
  assemble_results(path("both.h5"), cells, {});
  const std::string csv = output_of({"show", path("both.h5"), "--paired", "goodput_rps", "--csv"});
  EXPECT_EQ(csv.find("pipeline,trace,load,slo_ms,runtime,series,"), 0U) << csv;
  EXPECT_NE(csv.find("\ntm,tweet,1,400,simulated,pard,"), std::string::npos) << csv;
  EXPECT_NE(csv.find("\ntm,tweet,1,400,emulated,pard,"), std::string::npos) << csv;
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
            "3,shepherd,default,tm,tweet,1,2,simulated,400,a,400,300,60,30,30,0.225\n"
            "3,shepherd,default,tm,tweet,1,2,simulated,400,b,600,600,0,0,60,0\n"
            "3,shepherd,default,tm,tweet,1,2,simulated,400,c,0,0,0,0,0,\n");
  const std::string table = output_of({"show", path("models.h5"), "--models"});
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 4) << table;
  EXPECT_THROW(output_of({"show", path("models.h5"), "--models", "--columns", "load"}), CLI::ParseError);
  record.modules.clear();
  CellFileWriter(path("older"), row.cell, {}).finish(row, record);
  try {
    output_of({"show", path("older"), "--models"});
    FAIL() << "no counts";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("no counts of requests by model"), std::string::npos);
  }
}

TEST_F(ResultsCommands, ShowComparesWithTheFirstSeriesWhereThereIsNoPard) {
  std::vector<std::string> cells;
  for (const char* system : {"shepherd", "clockwork"}) {
    const auto index = static_cast<std::uint32_t>(cells.size());
    const SummaryRow row = goodput_row(index, system, 1, 110 - 55 * index);
    cells.push_back(path(std::string("cell.") + system));
    CellFileWriter(cells.back(), row.cell, {}).finish(row, RunRecord());
  }
  assemble_results(path("two.h5"), cells, {});
  testing::internal::CaptureStderr();
  const std::string csv = output_of({"show", path("two.h5"), "--paired", "goodput_rps", "--csv"});
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(said,
            "harness show: the baseline is shepherd, the first series of the file (--baseline SERIES)\n");
  EXPECT_NE(csv.find("clockwork,1,55,,1,-55,,0.5,"), std::string::npos) << csv;
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
  try {
    output_of({"show", path("a.h5"), "--columns", "goodput_rp"});
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("goodput_rps"), std::string::npos) << error.what();
  }
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
    EXPECT_NE(printed.find(figure.string()), std::string::npos) << printed;
  }
}

TEST_F(ResultsCommands, FiguresAreChosenByName) {
  const std::string printed =
      output_of({"figures", path("a.h5"), "--only", "pard/fig8", "--only", "pard/fig9"});
  for (const char* name : {"pard-fig8.pdf", "pard-fig9.png"})
    EXPECT_NE(printed.find(name), std::string::npos) << printed;
  EXPECT_EQ(printed.find("rates"), std::string::npos) << printed;
}

TEST_F(ResultsCommands, UnknownAndImpossibleFiguresAreBadInput) {
  EXPECT_EQ(output_of({"figures", path("a.h5"), "--only", "pard/fig7"}, 2), "");
  EXPECT_EQ(output_of({"figures", path("a.h5"), "--only", "pard/fig13"}, 2), "");
  EXPECT_THROW(output_of({"figures"}), InputError);
}

TEST_F(ResultsCommands, TheListNamesEveryFigure) {
  const std::string printed = output_of({"figures", "--list"});
  for (const char* name : {"general ", "pard/fig2 ", "pard/fig14d ", "pard/fig15 "})
    EXPECT_NE(printed.find(name), std::string::npos) << printed;
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

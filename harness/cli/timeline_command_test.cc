// `harness timeline` as a user calls it.
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/cli/commands.h"
#include "harness/core/test_refusal.h"
#include "harness/record/hdf5/assemble_results.h"
#include "harness/record/hdf5/cell_contents.h"
#include "harness/record/hdf5/test_folder.h"
#include "harness/record/hdf5/test_synthetic_run.h"

namespace harness {
namespace {

class TimelineCommand : public FolderTest {
 protected:
  /// Writes results of cells 0, 1, ..., of which the last has its rows; returns the path.
  std::string results_of(std::uint32_t cells) const {
    std::vector<std::string> files;
    for (std::uint32_t index = 0; index < cells; ++index) {
      SyntheticSettings settings;
      settings.cell.index = index;
      settings.seconds = 2;
      files.push_back(path(std::to_string(index)));
      write_synthetic_cell(files.back(), synthetic_run(settings), index + 1 == cells);
    }
    assemble_results(path("a.h5"), files, {});
    return path("a.h5");
  }

  std::string output_of(std::vector<std::string> words) const {
    CLI::App app("harness");
    int exit_code = 0;
    add_timeline_command(app, exit_code);
    words.insert(words.begin(), "timeline");
    words.insert(words.end(), {"-o", path("t")});
    std::reverse(words.begin(), words.end());
    ::testing::internal::CaptureStdout();
    try {
      app.parse(words);
    } catch (...) {
      ::testing::internal::GetCapturedStdout();
      throw;
    }
    return ::testing::internal::GetCapturedStdout();
  }
  std::string refusal(const std::vector<std::string>& words) const {
    return refusal_of([&] { output_of(words); });
  }
};

TEST_F(TimelineCommand, SaysWhatItWrote) {
  const std::string results = results_of(1);
  const std::string said = output_of({results, "--cell", "0"});
  const CellContents cell = read_cell(results, 0);
  const auto ran = std::ranges::count_if(cell.visits, [](const VisitRow& row) { return row.batch > 0; });
  const auto drops = std::ranges::count_if(
      cell.visits, [](const VisitRow& row) { return row.outcome == VisitOutcome::kDropped; });
  EXPECT_TRUE(holds(said, path("t") + ": ", " batches of " + std::to_string(ran) + " visits, 0 preempted, ",
                    ", " + std::to_string(drops) + " drops, ",
                    std::to_string(std::filesystem::file_size(path("t"))) + " bytes"));
}

TEST_F(TimelineCommand, OfCellsWithoutRowsNamesTheKey) {
  const std::string results = results_of(2);
  EXPECT_TRUE(
      holds(refusal({results, "--cell", "0"}), results + ": cell 0: found no rows", "record.rows=[0]"));
  EXPECT_TRUE(holds(refusal({results, "--cell", "7"}), results, "found 7"));
  EXPECT_FALSE(std::filesystem::exists(path("t")));
}

TEST_F(TimelineCommand, TimesAreInSecondsUnlessTheySayMilliseconds) {
  const std::string results = results_of(1);
  EXPECT_EQ(output_of({results, "--cell", "0", "--from", "500ms", "--to", "1.5s"}),
            output_of({results, "--cell", "0", "--from", "0.5", "--to", "1500ms"}));
  for (const std::string time : {"x", "-1s", "1m", "1 s", "nan", "1e99"})
    EXPECT_TRUE(holds(refusal({results, "--cell", "0", "--from", time}), "--from", "31.2s")) << time;
}

}  // namespace
}  // namespace harness

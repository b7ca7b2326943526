// The minutes of a load, as claims read them (docs/claims.md).
#include <gtest/gtest.h>

#include "harness/record/hdf5/assemble_results.h"
#include "harness/record/hdf5/results_file.h"
#include "harness/record/hdf5/test_folder.h"
#include "harness/record/hdf5/test_synthetic_run.h"

namespace harness {
namespace {

class Minutes : public FolderTest {};

// Window i of 1 s has i requests: windows 0 to 59 and 60 to 119 make minutes, the other ten do not.
TEST_F(Minutes, AreSumsOfTheirWindows) {
  const auto write = [&](const char* name, std::uint32_t index, std::uint32_t seconds, TimeNs from_ns = 0) {
    SyntheticSettings settings;
    settings.cell.index = index;
    settings.cell.system = "pard";
    SyntheticRun run = synthetic_run(settings);
    run.record.window_ns = kNsPerS;
    run.record.measured_from_ns = from_ns;
    run.record.windows.clear();
    for (std::uint32_t second = 0; second < seconds; ++second)
      run.record.windows.push_back({.sent = second, .late = 1, .accuracy_sum = 0.5});
    run.record.module_windows.clear();
    write_synthetic_cell(path(name), run, false);
  };
  write("a", 4, 130);
  write("b", 11, 10);
  write("c", 12, 100, 30 * kNsPerS);
  assemble_results(path("three.h5"), {path("a"), path("b"), path("c")}, {});
  const std::vector<CellMinutes> cells = read_minutes(path("three.h5"));
  ASSERT_EQ(cells.size(), 3U);
  ASSERT_EQ(cells[0].minutes.size(), 2U);
  EXPECT_EQ(cells[0].cell, 4U);
  EXPECT_EQ(cells[0].minutes[0].sent, 59U * 60 / 2);
  EXPECT_EQ(cells[0].minutes[1].sent, 59U * 60 / 2 + 60 * 60);
  EXPECT_EQ(cells[0].minutes[1].late, 60U);
  EXPECT_EQ(cells[0].minutes[1].accuracy_sum, 30);
  ASSERT_EQ(cells[1].minutes.size(), 1U) << "all of a load of ten seconds";
  EXPECT_EQ(cells[1].minutes[0].sent, 45U);
  ASSERT_EQ(cells[2].minutes.size(), 1U) << "from 30 s to 90 s";
  EXPECT_EQ(cells[2].minutes[0].sent, (30U + 89U) * 60 / 2);
}

}  // namespace
}  // namespace harness

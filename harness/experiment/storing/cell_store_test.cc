// Which file counts where a cell was run again: the later one, and never none.
#include "harness/experiment/storing/cell_store.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "harness/core/random.h"
#include "harness/record/hdf5/test_folder.h"
#include "harness/record/hdf5/test_synthetic_run.h"

namespace harness {
namespace {

namespace fs = std::filesystem;

class CellStoreTest : public FolderTest {
 protected:
  CellStore store() const { return {folder_.string(), "two"}; }
  static std::vector<ExpectedCell> expected() { return {{0, hex16(mix64(0))}, {1, hex16(mix64(1))}}; }

  static void write(const CellStore& store, std::uint32_t index, const std::string& status,
                    std::uint64_t seed) {
    SyntheticSettings settings;
    settings.cell.index = index;
    settings.cell.system = "naive";
    settings.cell.seed = seed;
    settings.cell.input_hash = expected()[index].input_hash;
    settings.seconds = 1;
    SyntheticRun run = synthetic_run(settings);
    run.summary.status = status;
    write_synthetic_cell(store.cell_path(settings.cell.input_hash), run, false);
  }

  /// Complete results of which the second cell is invalid.
  void make_results() const {
    CellStore made = store();
    made.open();
    write(made, 0, "ok", 1);
    write(made, 1, "invalid", 2);
    ASSERT_FALSE(made.inspect(expected()).has_value());
    made.assemble(expected(), {}, {});
  }

  /// The statuses of the assembled cells, and the seeds of the runs that they are from.
  void expect_assembled(const std::vector<std::string>& statuses,
                        const std::vector<std::uint64_t>& seeds) const {
    const std::vector<SummaryRow> rows = read_summary(path("two.h5"));
    ASSERT_EQ(rows.size(), statuses.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ(rows[i].status, statuses[i]);
      EXPECT_EQ(rows[i].cell.seed, seeds[i]);
    }
  }
};

TEST_F(CellStoreTest, WhatFailedIsForgottenAndReplaced) {
  make_results();
  CellStore again = store();
  again.inspect(expected());
  EXPECT_TRUE(again.complete(expected()));
  again.forget_failed();
  EXPECT_TRUE(again.has(expected()[0].input_hash));
  EXPECT_FALSE(again.has(expected()[1].input_hash));
  again.open();
  write(again, 1, "ok", 3);
  again.note_finished(expected()[1].input_hash);
  again.assemble(expected(), {}, {});
  expect_assembled({"ok", "ok"}, {1, 3});
}

TEST_F(CellStoreTest, AKillAfterTheSecondRunLosesNeither) {
  make_results();
  {
    CellStore killed = store();
    killed.inspect(expected());
    killed.forget_failed();
    killed.open();
    expect_assembled({"ok", "invalid"}, {1, 2});
    write(killed, 1, "ok", 3);
  }
  CellStore next = store();
  next.inspect(expected());
  EXPECT_TRUE(next.has(expected()[1].input_hash));
  EXPECT_FALSE(next.complete(expected())) << "its file holds the earlier run";
  EXPECT_EQ(next.rows_of(expected())[1].cell.seed, 3u);
  next.open();
  next.assemble(expected(), {}, {});
  expect_assembled({"ok", "ok"}, {1, 3});
}

TEST_F(CellStoreTest, ASecondRunThatFailedTooTakesThePlaceOfTheFirst) {
  make_results();
  {
    CellStore killed = store();
    killed.open();
    write(killed, 1, "invalid", 3);
  }
  CellStore next = store();
  next.inspect(expected());
  EXPECT_EQ(next.rows_of(expected())[1].cell.seed, 3u);
  next.open();
  next.assemble(expected(), {}, {});
  expect_assembled({"ok", "invalid"}, {1, 3});
}

TEST_F(CellStoreTest, CollectingTakesTheSecondRun) {
  make_results();
  {
    CellStore killed = store();
    killed.open();
    write(killed, 1, "ok", 3);
  }
  EXPECT_EQ(collect_cells(path("two.cells"), {}), 2u);
  expect_assembled({"ok", "ok"}, {1, 3});
}

TEST_F(CellStoreTest, AFailedCellThatIsNotAssembledYetIsForgottenToo) {
  CellStore stopped = store();
  stopped.open();
  write(stopped, 0, "skipped", 1);
  stopped.inspect(expected());
  EXPECT_TRUE(stopped.has(expected()[0].input_hash));
  stopped.forget_failed();
  EXPECT_FALSE(stopped.has(expected()[0].input_hash));
  EXPECT_TRUE(fs::exists(stopped.cell_path(expected()[0].input_hash))) << "until another takes its place";
}

}  // namespace
}  // namespace harness

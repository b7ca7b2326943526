// Which file counts where a cell was run again: the later one, and never none.
#include "harness/experiment/storing/cell_store.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "harness/core/hash.h"
#include "harness/core/test_refusal.h"
#include "harness/experiment/cells/cell_text.h"
#include "harness/experiment/storing/build_id.h"
#include "harness/record/hdf5/results_file.h"
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

  /// Writes complete results of which the second cell is invalid.
  void make_results() const {
    CellStore made = store();
    made.open();
    write(made, 0, "ok", 1);
    write(made, 1, "invalid", 2);
    ASSERT_FALSE(made.inspect(expected()).has_value());
    made.assemble(expected(), {}, {});
  }

  /// Returns the statuses of the assembled cells, and the seeds of the runs that they are from.
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

TEST_F(CellStoreTest, StartingOverTakesNothingAwayBeforeThereIsNew) {
  make_results();
  const std::string old_cell = store().cell_path(expected()[0].input_hash);
  {
    CellStore made = store();
    made.open();
    write(made, 0, "ok", 7);
    made.start_over();
    EXPECT_FALSE(made.inspect(expected()).has_value());
    EXPECT_FALSE(made.has(expected()[0].input_hash)) << "neither in the results nor as a cell";
    EXPECT_FALSE(made.has(expected()[1].input_hash));
    expect_assembled({"ok", "invalid"}, {1, 2});
  }
  EXPECT_TRUE(fs::exists(old_cell)) << "no new cell: all is as before";
  {
    CellStore made = store();
    made.open();
    made.start_over();
    write(made, 0, "ok", 8);
  }
  CellStore made = store();
  made.open();
  EXPECT_FALSE(made.inspect(expected()).has_value());
  EXPECT_TRUE(made.has(expected()[0].input_hash)) << "a new cell counts, without --fresh";
  EXPECT_FALSE(made.has(expected()[1].input_hash));
  write(made, 1, "ok", 9);
  made.note_finished(expected()[1].input_hash);
  made.assemble(expected(), {}, {});
  expect_assembled({"ok", "ok"}, {8, 9});
  EXPECT_FALSE(made.has_cells_folder());
}

TEST_F(CellStoreTest, FilesOfOthersStay) {
  CellStore made = store();
  made.open();
  write(made, 0, "ok", 1);
  write(made, 1, "ok", 2);
  fs::create_directory(path("two.cells/plots"));
  ASSERT_FALSE(made.inspect(expected()).has_value());
  testing::internal::CaptureStderr();
  made.assemble(expected(), {}, {});
  EXPECT_NE(testing::internal::GetCapturedStderr().find("did not write"), std::string::npos);
  EXPECT_TRUE(fs::exists(path("two.cells/plots")));
  EXPECT_FALSE(fs::exists(made.cell_path(expected()[0].input_hash)));
}

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

TEST_F(CellStoreTest, WhatWasMadeDifferentlyIsNamed) {
  const auto made_from = [&](const std::string& toml) {
    SyntheticSettings settings;
    settings.cell.effective_toml = toml;
    settings.cell.input_hash = input_hash_of(toml, build_id());
    settings.seconds = 1;
    write_synthetic_cell(store().cell_path(settings.cell.input_hash), synthetic_run(settings), false);
    return settings.cell;
  };
  const std::string head = "[trace.day]\nfile = \"day.csv\"\n# trace ";
  fs::create_directory(path("two.cells"));
  const CellIdentity first = made_from(head + "1a\n");
  const CellIdentity second = made_from(head + "2b\n");
  const std::string refused = refusal_of([&] { collect_cells(path("two.cells"), {}); });
  EXPECT_TRUE(holds(refused, ".h5: contents of trace differ: day.csv; allowed: the same")) << refused;
  EXPECT_FALSE(fs::exists(path("two.h5")));

  const std::optional<ForeignCell> foreign = store().inspect({{0, first.input_hash}});
  ASSERT_TRUE(foreign.has_value());
  EXPECT_EQ(foreign->path, store().cell_path(second.input_hash));
  EXPECT_EQ(foreign->cell.effective_toml, second.effective_toml);
  fs::rename(foreign->path, path("two.cells/copy.h5"));
  EXPECT_TRUE(holds(refusal_of([&] {
                      store().inspect({{0, first.input_hash}, {1, second.input_hash}});
                    }),
                    "copy.h5: found a cell under another name; allowed: " + second.input_hash + ".h5"));
}

TEST_F(CellStoreTest, CollectingWhatCannotBeReadWritesNothing) {
  {
    CellStore killed = store();
    killed.open();
    write(killed, 0, "ok", 1);
    write(killed, 1, "ok", 2);
  }
  const std::string cell = store().cell_path(expected()[1].input_hash);
  fs::resize_file(cell, fs::file_size(cell) - 1);
  fs::remove(path("two.cells/lock"));
  EXPECT_TRUE(holds(refusal_of([&] { collect_cells(path("two.cells"), {}); }), cell));
  EXPECT_FALSE(fs::exists(path("two.cells/lock")));
  EXPECT_FALSE(fs::exists(path("two.h5")));
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

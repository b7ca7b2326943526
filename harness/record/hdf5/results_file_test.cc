#include "harness/record/hdf5/results_file.h"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <thread>

#include "harness/core/hash.h"
#include "harness/core/input_error.h"
#include "harness/record/hdf5/assemble_results.h"
#include "harness/record/hdf5/cell_contents.h"
#include "harness/record/hdf5/cell_file_writer.h"
#include "harness/record/hdf5/cell_replay.h"
#include "harness/record/hdf5/hdf5_handle.h"
#include "harness/record/hdf5/provenance.h"
#include "harness/record/hdf5/stored_table.h"
#include "harness/record/hdf5/table_writer.h"
#include "harness/record/hdf5/test_edited_file.h"
#include "harness/record/hdf5/test_folder.h"
#include "harness/record/hdf5/test_same_cell.h"
#include "harness/record/hdf5/test_synthetic_run.h"

namespace harness {
namespace {

namespace fs = std::filesystem;

class ResultsFile : public FolderTest {};

SyntheticSettings settings_of(std::uint32_t index, const std::string& system, std::uint64_t seed) {
  SyntheticSettings settings;
  settings.cell.index = index;
  settings.cell.system = system;
  settings.cell.variant = "default";
  settings.cell.pipeline = "tm";
  settings.cell.trace = "tweet";
  settings.cell.load = 1.25;
  settings.cell.seed = seed;
  settings.cell.parameters = "lambda=0.1 \"quoted\" \xc3\xa9";
  settings.cell.effective_toml =
      "[system]\nname = \"" + system + "\"\n" + std::string(200'000, '#') + "\nend";
  settings.cell.input_hash = hex16(mix64(index));
  settings.seconds = 20;
  settings.mean_rps = 700;
  settings.patience = 0.6;
  return settings;
}

SyntheticRun run_without_rows(SyntheticRun run) {
  run.requests.clear();
  run.visits.clear();
  return run;
}

TEST_F(ResultsFile, ACellReadsBackAsItWasWritten) {
  SyntheticRun run = synthetic_run(settings_of(7, "pard", 3));
  run.record.workers[1].ready_ns = 5 * kNsPerS;
  run.record.workers[1].removed_ns = 9 * kNsPerS;
  run.record.modules[0].cancelled = 3;
  run.record.modules[1].preempted = 8;
  run.record.exchanged_bytes = 1234;
  run.record.order_changes = 5;
  run.record.scheduler_busy_ns = 6789;
  run.record.modules[2].unfinished = 4;
  run.record.plans.push_back({6 * kNsPerS, 1, 5, 6, 42 * kNsPerMs});
  run.record.groups.push_back({6 * kNsPerS, 65'533, 1, 70'000, 6, 99, 1.0 / 3});
  run.requests[5].stream = 70'001;
  run.requests[5].slo_ns = 250 * kNsPerMs;
  run.record.modules[1].requests = {9, 4, 3, 1};
  VisitRow never_joined;
  never_joined.request = 1;
  never_joined.arrived_ns = 17;
  never_joined.ended_ns = 40;
  never_joined.outcome = VisitOutcome::kCancelled;
  VisitRow never_started = never_joined;
  never_started.joined_ns = 23;
  never_started.worker = 2;
  never_started.outcome = VisitOutcome::kUnfinished;
  run.visits.push_back(never_joined);
  run.visits.push_back(never_started);
  ASSERT_GT(run.record.dropped, 0u);
  write_synthetic_cell(path("cell.h5"), run, true);
  EXPECT_FALSE(fs::exists(path("cell.h5.tmp")));
  expect_same_cell(run, read_cell(path("cell.h5"), 7));
}

SyntheticRun live_run(std::uint32_t index) {
  SyntheticSettings settings = settings_of(index, "pard", 3);
  settings.cell.runtime = "emulated";
  return synthetic_run(settings);
}

TEST_F(ResultsFile, ALiveCellReadsBackWithItsRanksAndTheLatenessOfEachRequest) {
  const SyntheticRun run = live_run(7);
  ASSERT_EQ(run.record.ranks.size(), 2u);
  ASSERT_GT(run.requests[0].schedule_lag_ns, 0);
  write_synthetic_cell(path("cell.h5"), run, true);
  expect_same_cell(run, read_cell(path("cell.h5"), 7));
}

TEST_F(ResultsFile, ASimulatedCellHasNoRanks) {
  write_synthetic_cell(path("cell.h5"), synthetic_run(settings_of(7, "pard", 3)), false);
  const CellContents cell = read_cell(path("cell.h5"), 7);
  EXPECT_TRUE(cell.record.ranks.empty());
  EXPECT_TRUE(std::isnan(cell.summary["schedule_lag_us_p99"]));
  EXPECT_FALSE(std::isnan(cell.summary["sim_requests_per_s"]));
}

TEST_F(ResultsFile, StatesOfAnyNamesReadBackAsTheyWereWritten) {
  SyntheticRun run = synthetic_run(settings_of(7, "pard", 3));
  run.record.states = {{"order", "load", "a name"},
                       {{5 * kNsPerS + 1, 2}, {kNsPerS, 0}},
                       {1, 0.1, -1e300, 0, 1e-9, std::numeric_limits<double>::infinity()}};
  write_synthetic_cell(path("cell.h5"), run, false);
  expect_same_cell(run_without_rows(run), read_cell(path("cell.h5"), 7));
  run.record.states.rows.clear();
  run.record.states.values.clear();
  write_synthetic_cell(path("none.h5"), run, false);
  expect_same_states(run.record.states, read_cell(path("none.h5"), 7).record.states);
}

TEST_F(ResultsFile, ReplaysReadBackAsTheyWereWritten) {
  SyntheticRun run = synthetic_run(settings_of(7, "pard", 3));
  // One log is longer than a chunk, one ends with a chunk, and one is empty.
  std::vector<ReplayLog>& logs = run.record.replay;
  logs = {{2, 1, 70'000, 5, {}}, {3, 0, 1, 2, {}}, {9, 2, 0, 0, {}}, {11, 2, 1, 0, {std::byte{7}}}};
  for (std::size_t i = 0; i < 600'000; ++i) logs[0].bytes.push_back(static_cast<std::byte>(i * i >> 3));
  logs[1].bytes.assign((std::size_t{3} << 18) - logs[0].bytes.size(), std::byte{200});
  write_synthetic_cell(path("cell.h5"), run, false);
  assemble_results(path("all.h5"), {path("cell.h5")}, {});
  const CellReplay cell = read_cell_replay(path("all.h5"), 7);
  EXPECT_EQ(cell.logs, logs);
  EXPECT_EQ(cell.effective_toml, run.summary.cell.effective_toml);
  logs.clear();
  write_synthetic_cell(path("none.h5"), run, false);
  EXPECT_TRUE(read_cell_replay(path("none.h5"), 7).logs.empty());
}

TEST_F(ResultsFile, HashAndSettingsOfACell) {
  EXPECT_EQ(cell_input_hash(path("cell.h5")), std::nullopt);
  const SyntheticRun run = synthetic_run(settings_of(7, "pard", 3));
  write_synthetic_cell(path("cell.h5"), run, false);
  EXPECT_EQ(cell_input_hash(path("cell.h5")), run.summary.cell.input_hash);
  EXPECT_EQ(read_summary_with_settings(path("cell.h5")).front().cell.effective_toml,
            run.summary.cell.effective_toml);
  EXPECT_TRUE(read_cell(path("cell.h5"), 7).requests.empty());
}

TEST_F(ResultsFile, ASkippedCellHasARowAndNothingElse) {
  SummaryRow row;
  row.status = "skipped";
  row.why = "the plan does not fit 3 workers";
  CellFileWriter writer(path("cell.h5"), {}, {});
  writer.finish(row, RunRecord{});
  const CellContents cell = read_cell(path("cell.h5"), 0);
  EXPECT_EQ(cell.summary.status, "skipped");
  EXPECT_EQ(cell.summary.why, row.why);
  EXPECT_TRUE(cell.record.modules.empty());
}

void remove_totals(const std::string& path, const std::vector<const char*>& names) {
  const EditedFile file(path);
  for (const char* name : names)
    ASSERT_GE(H5Adelete_by_name(file.get(), "cells/7", name, H5P_DEFAULT), 0) << name;
}

/// Writes the table again without the column.
void remove_column(const std::string& path, const std::string& name_of_table, const std::string& column) {
  const EditedFile file(path);
  Hdf5Handle table(H5Dopen2(file.get(), name_of_table.c_str(), H5P_DEFAULT), H5Dclose, "open");
  const Hdf5Handle stored(H5Dget_type(table.get()), H5Tclose, "type");
  const Hdf5Handle all(H5Tget_native_type(stored.get(), H5T_DIR_DEFAULT), H5Tclose, "type");
  const Hdf5Handle old_space(H5Dget_space(table.get()), H5Sclose, "space");
  const auto rows = static_cast<hsize_t>(H5Sget_simple_extent_npoints(old_space.get()));
  const Hdf5Handle space(H5Screate_simple(1, &rows, nullptr), H5Sclose, "space");
  const Hdf5Handle kept(H5Tcreate(H5T_COMPOUND, H5Tget_size(all.get())), H5Tclose, "type");
  for (int i = 0; i < H5Tget_nmembers(all.get()); ++i) {
    const auto member = static_cast<unsigned>(i);
    const Hdf5Handle type(H5Tget_member_type(all.get(), member), H5Tclose, "type");
    char* name = H5Tget_member_name(all.get(), member);
    if (name != column) H5Tinsert(kept.get(), name, H5Tget_member_offset(all.get(), member), type.get());
    H5free_memory(name);
  }
  std::vector<char> bytes(H5Tget_size(all.get()) * rows);
  H5Dread(table.get(), all.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data());
  table.reset();
  H5Ldelete(file.get(), name_of_table.c_str(), H5P_DEFAULT);
  table = Hdf5Handle(H5Dcreate2(file.get(), name_of_table.c_str(), kept.get(), space.get(), H5P_DEFAULT,
                                H5P_DEFAULT, H5P_DEFAULT),
                     H5Dclose, "make");
  H5Dwrite(table.get(), kept.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data());
  H5Dvlen_reclaim(all.get(), space.get(), H5P_DEFAULT, bytes.data());
}

void remove_columns(const std::string& path, const std::string& table,
                    const std::vector<std::string>& columns) {
  for (const std::string& column : columns) remove_column(path, table, column);
}

struct NamedRow {
  std::uint64_t number = 0;
  std::string name;
  bool operator==(const NamedRow&) const = default;
  static void list(auto& row, auto&& column) {
    column("number", row.number);
    column("name", row.name);
  }
};

/// Rows are read some at a time, in whole chunks, whose length another program may have chosen.
TEST_F(ResultsFile, TablesOfAnyLengthReadBackWholeFromChunksOfAnyLength) {
  constexpr std::size_t kAtOnce = 4 * kChunkRows;
  const Hdf5Handle file(H5Fcreate((folder_ / "tables.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
                        H5Fclose, "make");
  std::vector<NamedRow> rows;
  for (const std::size_t length : {kAtOnce - 1, kAtOnce, kAtOnce + 1, 2 * kAtOnce + 17}) {
    while (rows.size() < length) rows.push_back({rows.size(), "row " + std::to_string(rows.size())});
    for (const std::size_t chunk : {std::size_t{1000}, kChunkRows, kAtOnce, kAtOnce + 1}) {
      const std::string name = std::to_string(length) + " in " + std::to_string(chunk);
      write_table(file.get(), name.c_str(), rows, chunk);
      EXPECT_EQ(read_table<NamedRow>(file.get(), name), rows) << name;
    }
  }
}

TEST_F(ResultsFile, AMetricThatAnOlderFileLacksHasNoValue) {
  const SyntheticRun run = synthetic_run(settings_of(7, "pard", 3));
  write_synthetic_cell(path("cell.h5"), run, false);
  remove_column(path("cell.h5"), "summary", "queueing_ms_mean");
  const SummaryRow row = read_summary(path("cell.h5")).at(0);
  EXPECT_TRUE(std::isnan(row["queueing_ms_mean"]));
  EXPECT_EQ(row["batch_wait_ms_mean"], run.summary["batch_wait_ms_mean"]);
  EXPECT_EQ(row.cell.trace, "tweet");
  remove_column(path("cell.h5"), "summary", "slo_attainment");
  EXPECT_EQ(read_summary(path("cell.h5")).at(0)["slo_attainment"], run.summary["slo_attainment"])
      << "it follows";
  for (const char* column : {"input_hash", "load", "sent"}) {
    write_synthetic_cell(path("cell.h5"), run, false);
    remove_column(path("cell.h5"), "summary", column);
    EXPECT_THROW(read_summary(path("cell.h5")), InputError) << column;
    EXPECT_THROW(assemble_results(path("one.h5"), {path("cell.h5")}, {}), InputError) << column;
  }
  write_synthetic_cell(path("cell.h5"), run, false);
  remove_totals(path("cell.h5"), {"duration_ns"});
  EXPECT_THROW(read_cell(path("cell.h5"), 7), InputError);
}

/// The file is as files were before there was a live runtime.
TEST_F(ResultsFile, AnOlderFileWithoutScheduleLagAndClocksReadsAsASimulatedCell) {
  const SyntheticRun run = synthetic_run(settings_of(7, "pard", 3));
  write_synthetic_cell(path("cell.h5"), run, true);
  remove_column(path("cell.h5"), "cells/7/requests", "schedule_lag_ns");
  remove_columns(path("cell.h5"), "summary",
                 {"schedule_lag_us_p50", "schedule_lag_us_p99", "schedule_lag_us_max", "messages",
                  "message_bytes", "clock_bound_us", "devices"});
  remove_totals(path("cell.h5"), {"clock_bound_ns"});
  expect_same_cell(run, read_cell(path("cell.h5"), 7));
  assemble_results(path("one.h5"), {path("cell.h5")}, {});
  EXPECT_EQ(read_provenance(path("one.h5")).clock_bound_ns, 0);
}

SyntheticRun run_with_accuracies() {
  SyntheticSettings settings = settings_of(7, "loki", 3);
  settings.accuracy = 0.8;
  return synthetic_run(settings);
}

TEST_F(ResultsFile, AStoredCellGivesTheSameAccuracyAndWorkers) {
  SyntheticRun run = run_with_accuracies();
  run.record.workers[0].removed_ns = 5 * kNsPerS;
  run.record.workers[1].ready_ns = kNever;
  run.summary = summarise(run.summary.cell, {run.record, 1, {}, 1});
  ASSERT_GT(run.summary["accuracy"], 0.8 * 0.8 * 0.8);
  ASSERT_LT(run.summary["accuracy"], 1);
  ASSERT_DOUBLE_EQ(run.summary["workers_mean"], 10 + 0.25);  // 12 workers; one serves 5 s of 20, one never
  write_synthetic_cell(path("cell.h5"), run, true);
  const CellContents cell = read_cell(path("cell.h5"), 7);
  expect_same_cell(run, cell);
  const SummaryRow again = summarise(cell.summary.cell, {cell.record, 1, {}, 1});
  EXPECT_EQ(again["accuracy"], run.summary["accuracy"]);
  EXPECT_EQ(again["workers_mean"], run.summary["workers_mean"]);
  EXPECT_EQ(again["workers_min_10s"], run.summary["workers_min_10s"]);
  // Each request is one path.
  EXPECT_EQ(again["path_violation_rate"], run.summary["drop_rate"]);
  EXPECT_EQ(again["path_accuracy"], run.summary["path_accuracy"]);
  EXPECT_NEAR(again["path_accuracy"], run.summary["accuracy"], 1e-12);  // summed in another order
}

/// The file is as files were before models had accuracies.
TEST_F(ResultsFile, AnOlderFileWithoutAccuraciesReadsAsOneWhoseModelsHaveNone) {
  SyntheticRun run = run_with_accuracies();
  write_synthetic_cell(path("cell.h5"), run, true);
  remove_column(path("cell.h5"), "cells/7/requests", "accuracy");
  remove_column(path("cell.h5"), "cells/7/modules", "accuracy");
  remove_columns(path("cell.h5"), "cells/7/windows",
                 {"accuracy_sum", "paths_in_time", "paths_late", "paths_lost", "path_accuracy_sum"});
  remove_columns(
      path("cell.h5"), "summary",
      {"accuracy", "workers_mean", "workers_min_10s", "answers", "path_violation_rate", "path_accuracy"});
  remove_totals(path("cell.h5"), {"accuracy_sum", "accuracy_requests"});
  for (RequestRow& row : run.requests) row.accuracy = NAN;
  for (WindowCounts& window : run.record.windows) window.accuracy_sum = 0, window.paths = {};
  for (ModuleTotals& module : run.record.modules) module.accuracy = NAN;
  run.record.accuracy_sum = 0;
  run.record.accuracy_requests = 0;
  run.summary["accuracy"] = run.summary["workers_mean"] = run.summary["workers_min_10s"] = kNoValue;
  run.summary["path_violation_rate"] = run.summary["path_accuracy"] = kNoValue;
  const CellContents cell = read_cell(path("cell.h5"), 7);
  expect_same_cell(run, cell);
  EXPECT_TRUE(std::isnan(summarise({}, {cell.record, 1, {}, 1})["accuracy"]));
}

/// The file is as files were before gaps between arrivals were counted.
TEST_F(ResultsFile, AnOlderFileWithoutGapsReadsWithoutThem) {
  SyntheticRun run = synthetic_run(settings_of(7, "pard", 3));
  write_synthetic_cell(path("cell.h5"), run, true);
  expect_same_cell(run, read_cell(path("cell.h5"), 7));
  remove_columns(path("cell.h5"), "cells/7/modules", {"gaps", "gap_ns", "gap_squares_ns2"});
  remove_totals(path("cell.h5"), {"latency_sum_ns"});
  for (ModuleTotals& module : run.record.modules) module.gaps = {};
  run.record.latency_sum_ns = 0;
  const CellContents cell = read_cell(path("cell.h5"), 7);
  expect_same_cell(run, cell);
  const SummaryRow row = summarise({}, {cell.record, 1, {}, 1});
  EXPECT_TRUE(std::isnan(row["arrival_cv_first"]));
  EXPECT_TRUE(std::isnan(row["latency_ms_mean"]));
}

/// The file is as files were before there were streams.
TEST_F(ResultsFile, AnOlderFileWithoutStreamsAndGroupsReadsWithoutThem) {
  SyntheticRun run = synthetic_run(settings_of(7, "pard", 3));
  write_synthetic_cell(path("cell.h5"), run, true);
  EXPECT_EQ(read_entry_counts(path("cell.h5")).size(), 1U);
  remove_columns(path("cell.h5"), "cells/7/requests", {"stream", "slo_ns"});
  remove_columns(path("cell.h5"), "cells/7/modules",
                 {"requests_sent", "requests_in_time", "requests_late", "requests_dropped"});
  ASSERT_GE(H5Ldelete(EditedFile(path("cell.h5")).get(), "cells/7/groups", H5P_DEFAULT), 0);
  for (RequestRow& row : run.requests) row.stream = 0;
  for (RequestRow& row : run.requests) row.slo_ns = 0;
  for (ModuleTotals& module : run.record.modules) module.requests = {};
  run.record.groups.clear();
  expect_same_cell(run, read_cell(path("cell.h5"), 7));
  EXPECT_TRUE(read_entry_counts(path("cell.h5")).empty());
}

TEST_F(ResultsFile, PlansAreReadAsCellsBeganWithThem) {
  SyntheticRun first = synthetic_run(settings_of(4, "pard", 1));
  first.record.plans.push_back({kNsPerS, 0, 99, 1, 1, 0, 1});
  write_synthetic_cell(path("a"), first, false);
  write_synthetic_cell(path("b"), synthetic_run(settings_of(11, "naive", 2)), false);
  assemble_results(path("two.h5"), {path("a"), path("b")}, {});
  const std::vector<StartPlan> plans = read_start_plans(path("two.h5"));
  const std::size_t modules = first.module_names.size();
  ASSERT_EQ(plans.size(), 2 * modules);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    EXPECT_EQ(plans[i].cell, i < modules ? 4U : 11U);
    EXPECT_EQ(plans[i].module, first.module_names[i % modules]);
    EXPECT_EQ(plans[i].row.device, (i % modules) % 2);
    EXPECT_EQ(plans[i].row.usd_per_h, 0.25 * static_cast<double>(i % modules + 1));
    EXPECT_EQ(plans[i].row.workers, first.record.plans[i % modules].workers);
  }
  // The file becomes as files were before plans had kinds of devices.
  remove_columns(path("two.h5"), "cells/4/plans", {"device", "usd_per_h"});
  EXPECT_TRUE(std::isnan(read_start_plans(path("two.h5")).front().row.usd_per_h));
}

TEST_F(ResultsFile, RequestsAreCountedByTheModuleThatTheyEnter) {
  SyntheticRun first = synthetic_run(settings_of(4, "pard", 1));
  const SyntheticRun second = synthetic_run(settings_of(11, "naive", 2));
  // Half of the first run's requests enter at the second of two independent models.
  first.record.modules[1].depth = 1;
  RequestCounts& one = first.record.modules[0].requests;
  RequestCounts& other = first.record.modules[1].requests;
  other = {one.sent / 2, one.in_time / 2, one.late / 2, one.dropped / 2};
  one = {one.sent - other.sent, one.in_time - other.in_time, one.late - other.late,
         one.dropped - other.dropped};
  write_synthetic_cell(path("a"), first, false);
  write_synthetic_cell(path("b"), second, false);
  assemble_results(path("two.h5"), {path("a"), path("b")}, {});
  const std::vector<EntryCounts> counts = read_entry_counts(path("two.h5"));
  ASSERT_EQ(counts.size(), 3U);
  EXPECT_EQ(counts[0].cell, 4U);
  EXPECT_EQ(counts[0].module, "module 1");
  EXPECT_EQ(counts[1].cell, 4U);
  EXPECT_EQ(counts[1].module, "module 2");
  EXPECT_EQ(counts[2].cell, 11U);
  EXPECT_EQ(counts[0].requests.sent + counts[1].requests.sent, first.record.sent);
  EXPECT_EQ(counts[1].requests.in_time, first.record.in_time / 2);
  EXPECT_EQ(counts[2].requests.sent, second.record.sent);
  EXPECT_EQ(counts[2].requests.in_time, second.record.in_time);
  EXPECT_EQ(counts[2].requests.late, second.record.late);
  EXPECT_EQ(counts[2].requests.dropped, second.record.dropped);
}

Provenance example_provenance() {
  Provenance provenance;
  provenance.experiment = "two";
  provenance.experiment_toml = std::string(150'000, 'x') + " \xce\xbb";
  provenance.git_commit = "0123456789abcdef";
  provenance.git_dirty = true;
  provenance.versions = "harness 0.1.0, HDF5";
  provenance.machine = "two cores";
  provenance.wall_s = 12.5;
  return provenance;
}

TEST_F(ResultsFile, AssemblyKeepsIndicesOrderAndProvenance) {
  const SyntheticRun first = synthetic_run(settings_of(4, "pard", 1));
  const SyntheticRun second = synthetic_run(settings_of(11, "naive", 2));
  write_synthetic_cell(path("a"), first, true);
  write_synthetic_cell(path("b"), second, false);
  assemble_results(path("two.h5"), {path("a"), path("b")}, example_provenance());
  const std::vector<SummaryRow> rows = read_summary(path("two.h5"));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(listed(rows[0]), listed(first.summary));
  EXPECT_EQ(listed(rows[1]), listed(second.summary));
  expect_same_cell(first, read_cell(path("two.h5"), 4));
  EXPECT_EQ(read_cell(path("two.h5"), 11).summary.cell.system, "naive");
  EXPECT_THROW(read_cell(path("two.h5"), 0), InputError);
  EXPECT_TRUE(read_provenance(path("two.h5")) == example_provenance());
}

TEST_F(ResultsFile, TheClockBoundIsTheLargestOfTheCells) {
  SyntheticRun close = live_run(0);
  SyntheticRun wide = live_run(1);
  close.record.clock_bound_ns = 900;
  wide.record.clock_bound_ns = 77'000;
  write_synthetic_cell(path("a"), close, false);
  write_synthetic_cell(path("b"), wide, false);
  write_synthetic_cell(path("c"), synthetic_run(settings_of(2, "naive", 1)), false);
  assemble_results(path("three.h5"), {path("a"), path("b"), path("c")}, {});
  EXPECT_EQ(read_provenance(path("three.h5")).clock_bound_ns, 77'000);
  EXPECT_EQ(read_cell(path("three.h5"), 0).record.clock_bound_ns, 900);
}

TEST_F(ResultsFile, OfACellThatComesAgainTheFirstCounts) {
  write_synthetic_cell(path("a"), synthetic_run(settings_of(4, "pard", 1)), false);
  write_synthetic_cell(path("b"), synthetic_run(settings_of(4, "pard", 2)), false);
  assemble_results(path("one.h5"), {path("b"), path("a")}, {});
  const std::vector<SummaryRow> rows = read_summary(path("one.h5"));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].cell.seed, 2u);
}

TEST_F(ResultsFile, TwoCellsOfOneIndexAreRefused) {
  write_synthetic_cell(path("a"), synthetic_run(settings_of(4, "pard", 1)), false);
  SyntheticSettings other = settings_of(4, "pard", 1);
  other.cell.input_hash = hex16(5);
  write_synthetic_cell(path("b"), synthetic_run(other), false);
  EXPECT_THROW(assemble_results(path("two.h5"), {path("a"), path("b")}, {}), InputError);
  EXPECT_FALSE(fs::exists(path("two.h5")));
  EXPECT_FALSE(fs::exists(path("two.h5.tmp")));
}

TEST_F(ResultsFile, TheSameRunGivesTheSameBytes) {
  const SyntheticRun run = synthetic_run(settings_of(4, "pard", 1));
  write_synthetic_cell(path("a"), run, true);
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // another second, as HDF5 stamps objects
  write_synthetic_cell(path("b"), run, true);
  const auto bytes = [](const std::string& name) {
    std::FILE* file = std::fopen(name.c_str(), "rb");
    std::string text(fs::file_size(name), '\0');
    EXPECT_EQ(std::fread(text.data(), 1, text.size(), file), text.size());
    std::fclose(file);
    return text;
  };
  EXPECT_TRUE(bytes(path("a")) == bytes(path("b")));
}

/// A compressed visit takes at most 40 bytes, its share of the request's row included, with batches and
/// without.
TEST_F(ResultsFile, RowsStayUnderFortyBytesAVisit) {
  for (const std::size_t modules : {std::size_t{1}, std::size_t{5}}) {
    for (const std::size_t batch : {std::size_t{1}, std::size_t{16}}) {
      SyntheticSettings settings = settings_of(0, "pard", 1);
      settings.cell.effective_toml.clear();
      settings.modules = modules;
      settings.batch = batch;
      settings.workers = 64;
      settings.mean_rps = 2500;
      settings.jitter = 0.5;
      settings.seconds = 24;
      settings.accuracy = 0.8;
      const SyntheticRun run = synthetic_run(settings);
      write_synthetic_cell(path("with"), run, true);
      write_synthetic_cell(path("without"), run, false);
      const auto rows = static_cast<double>(fs::file_size(path("with")) - fs::file_size(path("without")));
      const double bytes = rows / static_cast<double>(run.visits.size());
      EXPECT_LE(bytes, 40) << modules << " modules, batches up to " << batch;
      RecordProperty("bytes_" + std::to_string(modules) + "_" + std::to_string(batch), std::to_string(bytes));
    }
  }
}

}  // namespace
}  // namespace harness

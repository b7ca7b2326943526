#include "harness/record/run/series.h"

#include <gtest/gtest.h>

#include "harness/record/run/test_cells.h"

namespace harness {
namespace {

using Texts = std::vector<std::string>;

/// Returns a row as an older file has it.
SummaryRow without_columns(const std::string& system, const std::string& variant,
                           const std::string& parameters = "") {
  SummaryRow row = test_row(system, parameters);
  row.cell.variant = variant;
  row.cell.series = row.cell.workload = "";
  return row;
}

Texts series_of(Rows rows) {
  name_series(rows);
  Texts texts;
  for (const SummaryRow& row : rows) texts.push_back(row.cell.series);
  return texts;
}

/// Returns the shared parameters of each row.
Texts shared_of(Rows rows) {
  name_series(rows);
  Texts texts;
  for (const SummaryRow& row : rows) texts.push_back(shared_parameters(row.cell));
  return texts;
}

TEST(Series, TheColumnsOfACellSayWhatIsSweptForWhom) {
  CellIdentity cell = test_row("pard").cell;
  cell.variant = "back";
  EXPECT_EQ(series_text(cell, "pard.lambda=0.2 inferline.slack=a b"),
            "pard/back lambda=0.2 inferline.slack=a b");
  cell.runtime = "emulated";
  cell.workload = workload_text(cell, "150 requests/s", "slo 500 ms", "setting=far away cluster.workers=8");
  EXPECT_EQ(cell.workload, "lv tweet 150 requests/s slo 500 ms emulated setting=far away cluster.workers=8");
  EXPECT_EQ(shared_parameters(cell), "setting=far away cluster.workers=8");
  cell.workload = workload_text(cell, "as recorded", "slo 500 ms", "");
  EXPECT_EQ(shared_parameters(cell), "");
}

TEST(Series, RowsThatHaveTheColumnsKeepThem) {
  Rows rows = {without_columns("pard", "default"), test_row("pard")};
  rows[1].cell.series = "a";
  rows[1].cell.workload = "b";
  name_series(rows);
  EXPECT_EQ(rows[0].cell.series, "pard");
  EXPECT_EQ(rows[0].cell.workload, "lv tweet load 1 slo 500 ms");
  EXPECT_EQ(rows[1].cell.series, "a");
  EXPECT_EQ(rows[1].cell.workload, "b");
}

TEST(Series, OfOlderFilesNamedVariantsAreSeriesWhateverTheySet) {
  Rows rows = {without_columns("naive", "default"),
               without_columns("pard", "default"),
               without_columns("pard", "back", "pard.estimate=back"),
               without_columns("pard", "late", "serving.commit=late"),
               without_columns("pard", "oc", "pard.overload_alpha=0.1"),
               without_columns("pard", "oc", "pard.overload_alpha=0.2")};
  rows.back().cell.trace = "wiki";  // tuned by trace: the same series
  EXPECT_EQ(series_of(rows), (Texts{"naive", "pard", "pard/back", "pard/late", "pard/oc", "pard/oc"}));
  EXPECT_EQ(shared_of(rows), Texts(6));
}

TEST(Series, OfOlderFilesSweptOwnParametersMakeSeriesAndSharedOnesWorkloads) {
  const Rows rows = {without_columns("nexus", "default", "planner.sizing_factor=1"),
                     without_columns("pard", "default", "planner.sizing_factor=1 pard.lambda=0"),
                     without_columns("pard", "default", "planner.sizing_factor=1 pard.lambda=1"),
                     without_columns("nexus", "default", "planner.sizing_factor=2"),
                     without_columns("pard", "default", "planner.sizing_factor=2 pard.lambda=0"),
                     without_columns("pard", "default", "planner.sizing_factor=2 pard.lambda=1")};
  EXPECT_EQ(series_of(rows),
            (Texts{"nexus", "pard lambda=0", "pard lambda=1", "nexus", "pard lambda=0", "pard lambda=1"}));
  const std::string one = "planner.sizing_factor=1";
  const std::string two = "planner.sizing_factor=2";
  EXPECT_EQ(shared_of(rows), (Texts{one, one, one, two, two, two}));
}

TEST(Series, OfOlderFilesASweepOfLiveSettingsIsOfTheLiveCellsAlone) {
  Rows rows = {without_columns("nexus", "default"), without_columns("pard", "default")};
  for (const char* repeat : {"live.repeat=1", "live.repeat=2"}) {
    rows.push_back(without_columns("pard", "default", repeat));
    rows.back().cell.runtime = "emulated";
  }
  EXPECT_EQ(shared_of(rows), (Texts{"", "", "live.repeat=1", "live.repeat=2"}));
}

TEST(Series, OfOlderFilesWhatEachVariantSetsForItselfIsNotShared) {
  const Rows rows = {without_columns("pard", "small", "planner.max_batch=4"),
                     without_columns("pard", "large", "planner.max_batch=16")};
  EXPECT_EQ(series_of(rows), (Texts{"pard/small", "pard/large"}));
  EXPECT_EQ(shared_of(rows), Texts(2));
}

TEST(Series, OfOlderFilesASweepOverridesWhatAVariantSets) {
  const Rows rows = {without_columns("pard", "default", "planner.max_batch=4"),
                     without_columns("pard", "own", "planner.max_batch=16 planner.max_batch=4")};
  EXPECT_EQ(shared_of(rows), (Texts{"planner.max_batch=4", "planner.max_batch=4"}));
}

}  // namespace
}  // namespace harness

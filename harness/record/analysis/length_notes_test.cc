#include "harness/record/analysis/length_notes.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace harness {
namespace {

TEST(LengthNotes, SayWhatDependsOnTheLengthOfTheRun) {
  std::vector<SummaryRow> rows(6);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].cell.index = static_cast<std::uint32_t>(i);
    rows[i].cell.series = i % 2 == 0 ? "naive" : "pard";
    rows[i].queue_trend = "steady";
  }
  EXPECT_TRUE(length_notes(rows).empty());
  rows[2].queue_trend = rows[4].queue_trend = "growing";
  rows[5].queue_trend = "unclear";
  EXPECT_EQ(length_notes(rows),
            (std::vector<std::string>{
                "overload: cells 2 and 4 (naive) depend on the length of the run: the queue still grew "
                "(queue_trend)",
                "cell 5 (pard): the run is too short, or its load too varied, to tell whether the queue "
                "still grew (queue_trend)"}));
  rows[4].queue_trend = rows[5].queue_trend = "";
  for (SummaryRow& row : rows) row.measured_from_s = 20;
  EXPECT_EQ(length_notes(rows).front(),
            "requests sent in the first 20 s are not counted (workload.measure_from_s)");
  EXPECT_EQ(length_notes(rows).back(),
            "overload: cell 2 (naive) depends on the length of the run: the queue still grew (queue_trend)");
}

}  // namespace
}  // namespace harness

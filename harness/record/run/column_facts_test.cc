#include "harness/record/run/column_facts.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace harness {
namespace {

TEST(ColumnFacts, MetricsAreTheColumnsThatMeasure) {
  SummaryRow row;
  row["goodput_rps"] = 3.5;
  row.sent = 7;
  EXPECT_EQ(number_in(row, "goodput_rps"), 3.5);
  EXPECT_EQ(number_in(row, "sent"), 7);
  EXPECT_EQ(number_in(row, "system"), std::nullopt);
  EXPECT_EQ(number_in(row, "nothing"), std::nullopt);
  const std::vector<std::string> metrics = metric_columns();
  EXPECT_EQ(std::count(metrics.begin(), metrics.end(), "bound_share"), 1);
  EXPECT_EQ(std::count(metrics.begin(), metrics.end(), "seed"), 0);
}

}  // namespace
}  // namespace harness

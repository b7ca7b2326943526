#include "systems/loki/task_budgets.h"

#include <gtest/gtest.h>

#include "harness/core/types.h"

namespace harness {
namespace {

TEST(LatencyBudget, IsTheExecutionTimeAndAsLongInTheQueue) {
  EXPECT_EQ(latency_budget(ms_to_ns(30), 1), ms_to_ns(30));
  EXPECT_EQ(latency_budget(ms_to_ns(30), 2), ms_to_ns(60));
  EXPECT_EQ(time_behind(ms_to_ns(61), ms_to_ns(60)), ms_to_ns(1));
  EXPECT_EQ(time_behind(ms_to_ns(60), ms_to_ns(60)), 0) << "exactly its budget does not exceed it";
  EXPECT_EQ(time_behind(0, ms_to_ns(60)), 0);
}

}  // namespace
}  // namespace harness

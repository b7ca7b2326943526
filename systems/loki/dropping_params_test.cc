#include "systems/loki/dropping_params.h"

#include <gtest/gtest.h>

#include <string>

#include "harness/core/param_list.h"

namespace harness {
namespace {

TEST(DroppingParams, AreReadByName) {
  DroppingParams params;
  ParamList list;
  params.list(list);
  EXPECT_TRUE(list.find("deadline")->set(std::string("task")));
  EXPECT_TRUE(list.find("expected_batch")->set(std::string("queued")));
  EXPECT_FALSE(list.find("budget_factor")->set(0.5));
  EXPECT_EQ(params.deadline, DueBy::kTask);
  EXPECT_EQ(params.expected_batch, ExpectedBatch::kQueued);
  EXPECT_EQ(params.budget_factor, 2);
}

}  // namespace
}  // namespace harness

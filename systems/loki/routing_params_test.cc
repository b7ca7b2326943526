#include "systems/loki/routing_params.h"

#include <gtest/gtest.h>

#include <string>

#include "harness/core/param_list.h"

namespace harness {
namespace {

TEST(RoutingParams, AreReadByName) {
  RoutingParams params;
  ParamList list;
  params.list(list);
  EXPECT_TRUE(list.find("overflow")->set(std::string("drop")));
  EXPECT_TRUE(list.find("ties")->set(std::string("spread")));
  EXPECT_TRUE(list.find("early_dropping")->set(std::string("last_task")));
  EXPECT_TRUE(list.find("drop_at")->set(std::string("start")));
  EXPECT_TRUE(list.find("reroute_limit")->set(std::string("budget")));
  EXPECT_EQ(params.overflow, Overflow::kDrop);
  EXPECT_EQ(params.ties, Ties::kSpread);
  EXPECT_EQ(params.early_dropping, EarlyDropping::kLastTask);
  EXPECT_EQ(params.drop_at, DropAt::kStart);
  EXPECT_EQ(params.reroute_limit, RerouteLimit::kBudget);
}

}  // namespace
}  // namespace harness

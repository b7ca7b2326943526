#include "systems/loki/resource_manager.h"

#include <gtest/gtest.h>

#include <vector>

#include "systems/loki/routing_params.h"

namespace harness {
namespace {

TEST(DemandEstimate, IsTheWeightedMeanOfTheRates) {
  DemandEstimate estimate(0.25);
  EXPECT_EQ(estimate.rate_rps(), 0);
  std::vector<double> rates = {100, 40, 0, 260};
  for (std::size_t n = 1; n <= rates.size(); ++n) {
    estimate.add(rates[n - 1]);
    double sum = 0;
    double weights = 0;
    double weight = 1;
    for (std::size_t i = n; i-- > 0; weight *= 0.75) {
      sum += weight * rates[i];
      weights += weight;
    }
    EXPECT_DOUBLE_EQ(estimate.rate_rps(), sum / weights);
  }
}

TEST(DemandEstimate, IsTheNewestRateAloneWithAWeightOfOne) {
  DemandEstimate estimate(1);
  estimate.add(100);
  estimate.add(30);
  EXPECT_EQ(estimate.rate_rps(), 30);
}

TEST(DemandEstimate, StaysUnderASteadyDemand) {
  DemandEstimate estimate(0.3);
  for (int i = 0; i < 50; ++i) {
    estimate.add(80);
    EXPECT_NEAR(estimate.rate_rps(), 80, 1e-9);
  }
}

// After a jump from 0 to r the estimate is r (1 - (1 - alpha)^n) once the past weighs in full.
TEST(DemandEstimate, FollowsAJumpAtTheRateOfItsWeight) {
  DemandEstimate estimate(0.5);
  for (int i = 0; i < 200; ++i) estimate.add(0);
  double rest = 1;
  for (int n = 0; n < 10; ++n) {
    estimate.add(100);
    rest *= 0.5;
    EXPECT_NEAR(estimate.rate_rps(), 100 * (1 - rest), 1e-9);
  }
}

TEST(SignificantChange, IsBeyondTheShareUpOrDown) {
  EXPECT_FALSE(changed_significantly(120, 100, 0.2));
  EXPECT_TRUE(changed_significantly(120.1, 100, 0.2));
  EXPECT_FALSE(changed_significantly(80, 100, 0.2));
  EXPECT_TRUE(changed_significantly(79.9, 100, 0.2));
  EXPECT_TRUE(changed_significantly(1, 0, 0.2));
  EXPECT_FALSE(changed_significantly(0, 0, 0.2));
}

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

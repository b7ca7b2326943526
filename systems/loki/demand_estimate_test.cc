#include "systems/loki/demand_estimate.h"

#include <gtest/gtest.h>

#include <vector>

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

}  // namespace
}  // namespace harness

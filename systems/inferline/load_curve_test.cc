#include "systems/inferline/load_curve.h"

#include <gtest/gtest.h>

#include <vector>

#include "systems/inferline/test_inferline_world.h"

namespace harness {
namespace {

using testing::device_of;
using testing::InferLineWorld;

TEST(LoadCurve, IsStraightBetweenWhatWasMeasured) {
  const std::vector<LoadCurve::Point> measured = {{10, 7}, {8, 9}, {32, 14}};  // the second is left out
  const LoadCurve curve(measured);
  EXPECT_DOUBLE_EQ(curve.rate_rps(0), 0);
  EXPECT_DOUBLE_EQ(curve.rate_rps(5), 3.5);
  EXPECT_DOUBLE_EQ(curve.rate_rps(10), 7);
  EXPECT_DOUBLE_EQ(curve.rate_rps(21), 10.5);
  EXPECT_DOUBLE_EQ(curve.rate_rps(32), 14);
  EXPECT_DOUBLE_EQ(curve.rate_rps(1000), 14);
  EXPECT_DOUBLE_EQ(curve.requests(0), 0);
  EXPECT_DOUBLE_EQ(curve.requests(7), 10);
  EXPECT_DOUBLE_EQ(curve.requests(10.5), 21);
  EXPECT_DOUBLE_EQ(curve.requests(20), 32);
}

/// One model of 10 ms in `replicas` replicas, measured on that sample of 1,000 s.
LoadCurve measured(const std::vector<TimeNs>& sample, int replicas) {
  InferLineWorld world;
  world.pipeline = testing::chain(1);
  world.devices = {device_of("gpu", 10, 1, {{10, 0, 1}})};
  world.link();
  const Hardware hardware(world.context);
  return measure_load_curve(world.pipeline, hardware, sample, 1000 * kNsPerS, 1, {{0, 1, replicas}});
}

// Even gaps never wait: rate x 10 ms are in service.
TEST(LoadCurve, OfEvenGapsIsTheTimeOfServiceTimesTheRate) {
  std::vector<TimeNs> even;
  for (int i = 0; i < 50'000; ++i) even.push_back(i * 20 * kNsPerMs);
  for (const int replicas : {1, 3}) {
    const LoadCurve curve = measured(even, replicas);
    EXPECT_NEAR(curve.requests(25.0 * replicas), 0.25 * replicas, 1e-6);
    EXPECT_NEAR(curve.rate_rps(0.75 * replicas), 75.0 * replicas, 1e-3);
    EXPECT_NEAR(curve.rate_rps(100), 100.0 * replicas, 1e-3) << "what all replicas serve, and no more";
  }
}

// M/D/1: rho + rho^2 / (2 (1 - rho)) requests in the system.
TEST(LoadCurve, OfPoissonArrivalsIsThatOfMD1) {
  const LoadCurve curve = measured(testing::poisson_times(50, 1000 * kNsPerS, 1), 1);
  for (const double load : {0.25, 0.5, 0.75})
    EXPECT_NEAR(curve.requests(100 * load), load + load * load / (2 * (1 - load)), 0.05 * (1 + load));
}

}  // namespace
}  // namespace harness

#include "systems/quart/cpu_compensator.h"

#include <gtest/gtest.h>

#include <vector>

#include "harness/sim/test_world.h"

namespace harness {
namespace {

/// 100 ms with 2 cores, of which the CPU part is 66 ms (section 3.4).
Profile paper_profile() {
  Profile profile = testing::linear_profile("m", 0, 100, 1);
  profile.cpu_ns = ms_to_ns(132);
  profile.cores = 2;
  return profile;
}

StageLoad served_in(double rate_rps, double exec_s) { return {rate_rps, 1 / exec_s, exec_s, 0}; }

TEST(CpuCompensator, FourCoresForTwoTakeAThirdOffTheTime) {
  const Profile profile = paper_profile();
  EXPECT_EQ(latency_with_cores(profile, 1, 4), ms_to_ns(67));
  std::vector<double> exec_s;
  for (int cores = 1; cores <= 27; ++cores) exec_s.push_back(ns_to_s(latency_with_cores(profile, 1, cores)));
  const CoreModel model = fitted_core_model(exec_s);
  EXPECT_NEAR(model.gpu_s, 0.034, 1e-9);
  EXPECT_NEAR(model.cpu_core_s, 0.132, 1e-9);
  EXPECT_NEAR(model.exec_s(4) / model.exec_s(2), 0.67, 1e-6);
}

TEST(CpuCompensator, RegressionOverPointsThatAreNotOnALine) {
  // y at x = 1, 1/2, 1/3 (mean 11/18): 4, 3, 2 (mean 3).
  const CoreModel model = fitted_core_model({4, 3, 2});
  const double slope = (7.0 / 18 * 1 + -5.0 / 18 * -1) / (49.0 / 324 + 4.0 / 324 + 25.0 / 324);
  EXPECT_NEAR(model.cpu_core_s, slope, 1e-12);
  EXPECT_NEAR(model.gpu_s, 3 - slope * 11 / 18, 1e-12);
}

TEST(CpuCompensator, TheFewestMoreThatMeetTheTarget) {
  const CpuCompensator compensator(paper_profile(), 1, 27);
  ASSERT_TRUE(compensator.has_effect());
  // M/M/1 at 5 visits/s: 1 / (1 / t - 5). 2 cores, 100 ms: 200 ms; 3 cores, 78 ms: 128 ms; 4, 67 ms: 101 ms.
  const auto cores_for = [&](double target_s) {
    return compensator.allocate(DelayMethod::kErlangC, served_in(5, 0.1), 1, 2, target_s);
  };
  EXPECT_EQ(cores_for(0.200001).cores, 2);
  EXPECT_EQ(cores_for(0.19).cores, 3);
  EXPECT_EQ(cores_for(0.11).cores, 4);
  EXPECT_TRUE(cores_for(0.11).enough);
  EXPECT_EQ(cores_for(0.04).cores, 27) << "34 + 132 / 27 ms are not fast enough";
  EXPECT_FALSE(cores_for(0.04).enough);
}

TEST(CpuCompensator, CoresGoBackWhereTheProfilesAreEnough) {
  const CpuCompensator compensator(paper_profile(), 1, 27);
  const StageLoad with_four = served_in(5, 0.067);
  EXPECT_EQ(compensator.allocate(DelayMethod::kErlangC, with_four, 1, 4, 0.19).cores, 4);
  EXPECT_EQ(compensator.allocate(DelayMethod::kErlangC, with_four, 1, 4, 0.21).cores, 2);
  EXPECT_EQ(compensator.allocate(DelayMethod::kErlangC, with_four, 2, 4, 0.11).cores, 2) << "two replicas";
}

TEST(CpuCompensator, IsWithoutEffectWhereNoCpuPartIsKnown) {
  EXPECT_FALSE(CpuCompensator(testing::linear_profile("m", 0, 100, 1), 1, 27).has_effect());
  EXPECT_FALSE(CpuCompensator(paper_profile(), 1, 2).has_effect());
}

}  // namespace
}  // namespace harness

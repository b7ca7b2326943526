#include "systems/quart/corrector.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "systems/quart/delay_method.h"

namespace harness {
namespace {

StageLoad load_of(double rate_rps, double present = 0) { return {rate_rps, 1, 1, present}; }

CorrectorParams gains(double kp, double ki, double kd, double limit = 20) {
  CorrectorParams params;
  params.kp = kp;
  params.ki = ki;
  params.kd = kd;
  params.error_limit = limit;
  return params;
}

std::vector<int> steps(const CorrectorParams& params, const std::vector<double>& errors) {
  PidLoop loop;
  std::vector<int> result;
  for (const double error : errors) result.push_back(loop.step(params, error));
  return result;
}

TEST(Corrector, StepResponseOfTenPeriods) {
  // e: nothing, then 2 for six periods, then -1. Sums: 0 0 2 4 6 8 10 10 (the limit), then 9 8.
  const std::vector<double> errors = {0, 0, 2, 2, 2, 2, 2, 2, -1, -1};
  EXPECT_EQ(steps(gains(1, 0, 0, 10), errors), (std::vector<int>{0, 0, 2, 2, 2, 2, 2, 2, 0, 0}));
  // 1 + 0.5 x {2, 4, 6, 8, 10, 10}
  EXPECT_EQ(steps(gains(0.5, 0.5, 0, 10), errors), (std::vector<int>{0, 0, 2, 3, 4, 5, 6, 6, 0, 0}));
  // The derivative is 2 once.
  EXPECT_EQ(steps(gains(0.5, 0, 2, 10), errors), (std::vector<int>{0, 0, 5, 1, 1, 1, 1, 1, 0, 0}));
  // 1 + 0.5 x sum + 2 x change, whole: 1 + 1 + 4, 1 + 2, ...
  EXPECT_EQ(steps(gains(0.5, 0.5, 2, 10), errors), (std::vector<int>{0, 0, 6, 3, 4, 5, 6, 6, 0, 0}));
}

TEST(Corrector, WholeReplicasAreRoundedUpAndErrorsAreHeldWithinTheLimit) {
  EXPECT_EQ(steps(gains(0.1, 0, 0), {0.5, 10, 11}), (std::vector<int>{1, 1, 2}));
  EXPECT_EQ(steps(gains(1, 0, 0, 7), {std::numeric_limits<double>::infinity()}), (std::vector<int>{7}));
  EXPECT_EQ(steps(gains(0, 1, 0, 7), {5, 5, -3, 1}), (std::vector<int>{5, 7, 0, 5})) << "sum 7, 4, 5";
  EXPECT_EQ(steps(gains(0, 0, 1), {5, 3}), (std::vector<int>{0, 0})) << "falling, still above";
}

TEST(Corrector, TheSumOfErrorsMayBeNegativeAsEquationThreeHasIt) {
  const std::vector<double> slack_and_burst = {-5, -5, -5, 4, 4, 4};
  CorrectorParams params = gains(1, 0.5, 0, 7);
  params.error_sum = ErrorSum::kFromZero;
  EXPECT_EQ(steps(params, slack_and_burst), (std::vector<int>{0, 0, 0, 6, 8, 8})) << "sum 0 0 0 4 7 7";
  params.error_sum = ErrorSum::kSigned;
  EXPECT_EQ(steps(params, slack_and_burst), (std::vector<int>{0, 0, 0, 3, 5, 7})) << "sum -5 -7 -7 -3 1 5";
}

TEST(Corrector, ActsWhereTheDelayIsAboveTheTarget) {
  CorrectorParams params = gains(1, 0, 0);
  Corrector corrector(params, 1);
  // One replica at 0.5: 2 times its execution.
  EXPECT_EQ(corrector.correct(0, load_of(0.5), NAN, 2.5, 1, 1, 100), 0);
  EXPECT_EQ(corrector.correct(0, load_of(0.5), NAN, 1.5, 1, 1, 100), 2);
  // A burst of 9 before one replica: 9 against 2.
  EXPECT_EQ(corrector.correct(0, load_of(0.5, 9), NAN, 2, 1, 1, 100), 8);
  EXPECT_EQ(corrector.correct(0, load_of(0.5, 9), NAN, 2, 1, 1, 5), 5) << "at most";
}

TEST(Corrector, AboveCapacityTheRateComesFirst) {
  Corrector corrector(gains(1, 0, 0), 1);
  // 4 visits/s on one replica; 5 are needed, and with these the delay is 1.55.
  EXPECT_EQ(corrector.correct(0, load_of(4), NAN, 2, 1, 5, 100), 5);
}

TEST(Corrector, EquationOneAsPrintedNeverActsAboveTwoExecutions) {
  CorrectorParams params = gains(1, 1, 1);
  params.delay = DelayMethod::kPrinted;
  Corrector corrector(params, 1);
  for (double load = 0.05; load < 1; load += 0.05)
    EXPECT_EQ(corrector.correct(0, load_of(load, 50), NAN, 2, 1, 1, 100), 0) << load;
  EXPECT_GT(Corrector(params, 1).correct(0, load_of(0.9), NAN, 1.8, 1, 1, 100), 1) << "without slack before";
}

TEST(Corrector, MeasuredIsTheWaitOfThePeriod) {
  CorrectorParams params = gains(1, 0, 0);
  params.delay = DelayMethod::kMeasured;
  Corrector corrector(params, 1);
  EXPECT_EQ(corrector.correct(0, load_of(0.9, 40), 0.5, 2, 1, 1, 100), 0);
  EXPECT_EQ(corrector.correct(0, load_of(0.1), 3, 2, 1, 1, 100), 3);
  EXPECT_EQ(corrector.correct(0, load_of(0.1, 3), NAN, 2, 1, 1, 100), 2) << "nothing has ended yet";
}

TEST(Corrector, ExactIsTheSmallestNumberAndNoneLeavesTheStageAlone) {
  CorrectorParams params;
  params.corrector = CorrectorMethod::kExact;
  Corrector exact(params, 1);
  EXPECT_EQ(exact.correct(0, load_of(0.9), NAN, 2, 1, 1, 100), 2) << "one: 10; two: 1.25";
  EXPECT_EQ(exact.correct(0, load_of(0.9), NAN, 2, 9, 1, 100), 2) << "a floor for what is reclaimed";
  params.corrector = CorrectorMethod::kRateOnly;
  EXPECT_EQ(Corrector(params, 1).correct(0, load_of(0.9), NAN, 2, 1, 1, 100), 0);
}

TEST(Corrector, GainsThatAreNotFiniteAreRefused) {
  CorrectorParams params;
  ParamList list;
  params.list(list);
  for (const char* name : {"kp", "ki", "kd", "error_limit", "target_share"}) {
    const Param* param = list.find(name);
    ASSERT_NE(param, nullptr);
    EXPECT_FALSE(param->set(std::numeric_limits<double>::infinity())) << name;
    EXPECT_FALSE(param->set(std::numeric_limits<double>::quiet_NaN())) << name;
    EXPECT_FALSE(param->set(-1.0)) << name;
    EXPECT_TRUE(param->set(1.5)) << name;
  }
}

}  // namespace
}  // namespace harness

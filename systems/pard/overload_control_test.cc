#include "systems/pard/overload_control.h"

#include <gtest/gtest.h>

#include "systems/pard/pard_test_world.h"

namespace harness {
namespace {

constexpr double kMsOf = 1e6;

PardParams overload_params() {
  PardParams params;
  params.admission = AdmissionRule::kOverload;
  params.overload_threshold_ms = 20;
  params.overload_alpha = 0.1;
  params.overload_recovery = 0.04;
  return params;
}

TEST(OverloadControl, FallsBeyondTheThresholdAndRisesOtherwise) {
  const PardTestWorld world({kNsPerMs}, {});
  OverloadControl control(world.pipeline, 0, overload_params());
  control.on_period(20 * kMsOf);  // at the threshold: not overloaded
  EXPECT_EQ(control.level(), 1);
  control.on_period(20 * kMsOf + 1);
  EXPECT_DOUBLE_EQ(control.level(), 0.9);
  control.on_period(300 * kMsOf);
  EXPECT_DOUBLE_EQ(control.level(), 0.81);
  control.on_period(0);
  EXPECT_DOUBLE_EQ(control.level(), 0.85);
  for (int i = 0; i < 3; ++i) control.on_period(0);
  EXPECT_DOUBLE_EQ(control.level(), 0.97);
  control.on_period(0);
  EXPECT_EQ(control.level(), 1);
}

TEST(OverloadControl, AFixedShareHoldsWhileOverloaded) {
  const PardTestWorld world({kNsPerMs, kNsPerMs}, chain_of(2));
  PardParams params = overload_params();
  params.admission = AdmissionRule::kFixed;
  params.overload_admitted = 0.6;
  OverloadControl control(world.pipeline, 0, params);
  control.on_period(20 * kMsOf);  // at the threshold: not overloaded
  EXPECT_EQ(control.level(), 1);
  for (const double queueing_ms : {21.0, 300.0, 21.0}) {
    control.on_period(queueing_ms * kMsOf);
    EXPECT_EQ(control.level(), 0.6);
  }
  control.on_period(19 * kMsOf);
  EXPECT_EQ(control.level(), 1);
  EXPECT_TRUE(control.on_level(1, 0.6));
  EXPECT_EQ(control.admitted(), 0.6);
  EXPECT_TRUE(control.on_level(1, 1));
  EXPECT_EQ(control.admitted(), 1);
}

TEST(OverloadControl, AdmitsWhatTheTightestLaterModuleAdmits) {
  // 0 -> {1, 2} -> 3
  const PardTestWorld world(std::vector<TimeNs>(4, kNsPerMs), {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
  OverloadControl control(world.pipeline, 1, overload_params());
  EXPECT_FALSE(control.on_level(0, 0.1));  // before it
  EXPECT_FALSE(control.on_level(2, 0.1));  // beside it
  EXPECT_EQ(control.admitted(), 1);
  EXPECT_TRUE(control.on_level(3, 0.95));
  EXPECT_DOUBLE_EQ(control.admitted(), 0.95);
  control.on_period(30 * kMsOf);
  EXPECT_DOUBLE_EQ(control.admitted(), 0.9);
  EXPECT_FALSE(control.on_level(3, 0.92));  // changes, but not the least
  EXPECT_EQ(control.level(), control.admitted());
  EXPECT_TRUE(control.on_level(3, 0.5));
  EXPECT_DOUBLE_EQ(control.level(), 0.9);
  EXPECT_DOUBLE_EQ(control.admitted(), 0.5);

  OverloadControl entry(world.pipeline, 0, overload_params());
  EXPECT_TRUE(entry.on_level(2, 0.7));
  EXPECT_TRUE(entry.on_level(3, 0.6));
  EXPECT_DOUBLE_EQ(entry.admitted(), 0.6);
}

TEST(OverloadControl, StaysOutWhenAdmissionIsNone) {
  const PardTestWorld world({kNsPerMs, kNsPerMs}, chain_of(2));
  OverloadControl control(world.pipeline, 0, {});
  control.on_period(1000 * kMsOf);
  EXPECT_FALSE(control.on_level(1, 0.1));
  EXPECT_EQ(control.admitted(), 1);
}

}  // namespace
}  // namespace harness

#include "systems/pard/admission_level.h"

#include <gtest/gtest.h>

namespace harness {
namespace {

TEST(AdmissionLevel, AdmitsTheShareThatTheLevelSays) {
  AdmissionLevel level(7);
  const auto admitted = [&](double share) {
    level.set(share);
    int count = 0;
    for (RequestId request = 0; request < 20'000; ++request) count += level.admits(request) ? 1 : 0;
    return count / 20'000.0;
  };
  EXPECT_EQ(admitted(1), 1);
  EXPECT_EQ(admitted(0), 0);
  EXPECT_NEAR(admitted(0.3), 0.3, 0.0146);  // 4.5 standard deviations
  EXPECT_NEAR(admitted(0.9), 0.9, 0.0096);
}

// What a lower level admits, a higher one admits too, in every module alike; another seed chooses others.
TEST(AdmissionLevel, IsConsistent) {
  AdmissionLevel low(7);
  AdmissionLevel high(7);
  AdmissionLevel other(8);
  low.set(0.4);
  high.set(0.6);
  other.set(0.4);
  int differ = 0;
  for (RequestId request = 0; request < 1'000; ++request) {
    EXPECT_LE(low.admits(request), high.admits(request));
    differ += low.admits(request) != other.admits(request) ? 1 : 0;
  }
  EXPECT_NEAR(differ, 480, 71);  // 2 x 0.4 x 0.6 of them
}

}  // namespace
}  // namespace harness

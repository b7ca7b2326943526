#include "workloads/arrivals/exponential_gaps.h"

#include <gtest/gtest.h>

namespace harness {
namespace {

TEST(ExponentialGaps, AreThoseOfTheStream) {
  RandomStream stream(7, "check");
  ExponentialGaps gaps(stream);
  for (int i = 0; i < 100'000; ++i) ASSERT_EQ(gaps.next(), stream.exponential()) << i;
}

}  // namespace
}  // namespace harness

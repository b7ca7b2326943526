#include "harness/core/types.h"

#include <gtest/gtest.h>

namespace harness {
namespace {

TEST(Time, ConversionsRoundToTheNearest) {
  EXPECT_EQ(ms_to_ns(1.5), 1'500'000);
  EXPECT_EQ(ms_to_ns(0.0000006), 1);
  EXPECT_EQ(ms_to_ns(-0.0000006), -1);
  EXPECT_EQ(s_to_ns(0.1), 100'000'000);
  EXPECT_DOUBLE_EQ(ns_to_ms(1'500'000), 1.5);
  EXPECT_DOUBLE_EQ(ns_to_s(250'000'000), 0.25);
}

}  // namespace
}  // namespace harness

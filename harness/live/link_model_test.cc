#include "harness/live/link_model.h"

#include <gtest/gtest.h>

namespace harness {
namespace {

/// Never below `exact`, above it by less than 0.8 % or 32 ns.
void expect_quantile(TimeNs found, TimeNs exact) {
  EXPECT_GE(found, exact);
  EXPECT_LE(static_cast<double>(found), static_cast<double>(exact) * (1 + 1.0 / 128) + 32);
}

TEST(LinkModel, QuantilesOfOneWays) {
  LinkModel link;
  for (TimeNs us = 100; us >= 1; --us) link.add_one_way(5'000, 5'000 + us * kNsPerUs, 2'000, us * 10);
  const LinkDelay delay = link.delay();
  EXPECT_EQ(delay.messages, 100U);
  expect_quantile(delay.low_ns, 5 * kNsPerUs);
  expect_quantile(delay.median_ns, 50 * kNsPerUs);
  expect_quantile(delay.high_ns, 95 * kNsPerUs);
  EXPECT_EQ(delay.most_ns, 100 * kNsPerUs);
  EXPECT_EQ(delay.bound_ns, 3'000);
}

TEST(LinkModel, ARoundTripIsTwoMessagesOfHalf) {
  LinkModel link;
  link.add_round_trip(80'000);
  link.add_one_way(0, 10'000, 0, 0);
  const LinkDelay delay = link.delay();
  EXPECT_EQ(delay.messages, 3U);
  expect_quantile(delay.median_ns, 40'000);  // of 10, 40, 40
  expect_quantile(delay.low_ns, 10'000);
  EXPECT_EQ(delay.bound_ns, 0);
}

TEST(LinkModel, ArrivingBeforeSentCountsAsNoDelay) {
  LinkModel link;
  link.add_one_way(1'000, 400, 500, 500);
  EXPECT_EQ(link.delay().most_ns, 0);
  EXPECT_EQ(link.delay().bound_ns, 1'000);
  EXPECT_EQ(link.delay().messages, 1U);
}

TEST(LinkModel, DelayOfAHop) {
  const LinkDelay delay{10, 0, 60'000, 0, 0, 0};
  EXPECT_DOUBLE_EQ(hop_delay_ms(delay, 1), 0.06);      // one message
  EXPECT_DOUBLE_EQ(hop_delay_ms(delay, 3) * 3, 0.30);  // 1 + 2 + 2 messages
}

TEST(LinkModel, Text) {
  EXPECT_EQ(text_of(LinkModel().delay()), "not measured");
  EXPECT_EQ(text_of({1024, 31'000, 42'000, 120'000, 500'000, 0}),
            "0.042 ms (5 % to 95 %: 0.031 to 0.12 ms; 1024 messages)");
  EXPECT_EQ(text_of({1024, 31'000, 42'000, 120'000, 500'000, 12'000}),
            "0.042 ms (5 % to 95 %: 0.031 to 0.12 ms; 1024 messages; clocks within 0.012 ms)");
}

}  // namespace
}  // namespace harness

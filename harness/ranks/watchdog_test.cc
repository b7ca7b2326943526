#include "harness/ranks/watchdog.h"

#include <gtest/gtest.h>

#include <vector>

namespace harness {
namespace {

using Ranks = std::vector<int>;
constexpr TimeNs kLimitNs = 10 * kNsPerS;

/// Looks every half second from `from_ns` until someone is overdue or `until_ns` comes; returns the time
/// then.
TimeNs look(Watchdog& watchdog, TimeNs from_ns, TimeNs until_ns, Ranks& found) {
  TimeNs now_ns = from_ns;
  for (; now_ns < until_ns; now_ns += kNsPerS / 2) {
    found = watchdog.overdue(now_ns);
    if (!found.empty()) break;
  }
  return now_ns;
}

TEST(Watchdog, NamesTheSilentOnceTheLimitHasPassed) {
  Watchdog watchdog(4, 0, kLimitNs, 0);
  Ranks found;
  for (TimeNs now_ns = 0; now_ns < 60 * kNsPerS && found.empty(); now_ns += kNsPerS) {
    watchdog.heard(1, now_ns);
    if (now_ns <= 20 * kNsPerS) watchdog.heard(2, now_ns);
    watchdog.heard(3, now_ns);
    found = watchdog.overdue(now_ns);
    if (found.empty()) continue;
    EXPECT_EQ(now_ns, 30 * kNsPerS);
    EXPECT_EQ(watchdog.silent_ns(2, now_ns), kLimitNs);
  }
  EXPECT_EQ(found, Ranks{2});
}

TEST(Watchdog, NeverNamesItself) {
  Watchdog watchdog(3, 1, kLimitNs, 0);
  Ranks found;
  EXPECT_EQ(look(watchdog, 0, kNsPerS * 60, found), kLimitNs);
  EXPECT_EQ(found, (Ranks{0, 2}));
}

TEST(Watchdog, TellsWhenTheNextWillBeOverdue) {
  Watchdog watchdog(3, 0, kLimitNs, 0);
  watchdog.heard(1, 4 * kNsPerS);
  EXPECT_EQ(watchdog.next_ns(), kLimitNs);
  watchdog.heard(2, 5 * kNsPerS);
  EXPECT_EQ(watchdog.next_ns(), 14 * kNsPerS);
  watchdog.heard(2, 1 * kNsPerS);  // an older word changes nothing
  EXPECT_EQ(watchdog.next_ns(), 14 * kNsPerS);
}

TEST(Watchdog, OwnStandstillCountsForNobody) {
  Watchdog watchdog(2, 0, kLimitNs, 0);
  Ranks found;
  look(watchdog, 0, 5 * kNsPerS, found);
  // The rank was stopped from 4.5 s to 60 s: nobody could have been heard of.
  EXPECT_EQ(look(watchdog, 60 * kNsPerS, 120 * kNsPerS, found), 66 * kNsPerS - kNsPerS / 2);
  EXPECT_EQ(found, Ranks{1});
}

TEST(Watchdog, WhatWasHeardAfterAStandstillCountsFromThen) {
  Watchdog watchdog(2, 0, kLimitNs, 0);
  Ranks found;
  watchdog.heard(1, 60 * kNsPerS);
  EXPECT_EQ(look(watchdog, 60 * kNsPerS, 120 * kNsPerS, found), 70 * kNsPerS);
}

TEST(Watchdog, WithoutALimitOrWithoutOthersNobodyIsOverdue) {
  Watchdog unlimited(3, 0, 0, 0);
  Watchdog alone(1, 0, kLimitNs, 0);
  Ranks found;
  for (Watchdog* watchdog : {&unlimited, &alone}) {
    EXPECT_EQ(watchdog->next_ns(), kNever);
    look(*watchdog, 0, 60 * kNsPerS, found);
    EXPECT_TRUE(found.empty());
  }
}

TEST(SilenceText, NamesRankHostAndTime) {
  EXPECT_EQ(silence_text(3, "node7", 10 * kNsPerS + 5), "rank 3 on node7 has not answered for 10 s");
}

}  // namespace
}  // namespace harness

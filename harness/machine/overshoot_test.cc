#include "harness/machine/overshoot.h"

#include <gtest/gtest.h>

#include <vector>

#include "harness/machine/steady_clock.h"
#include "harness/machine/test_checks.h"
#include "harness/machine/timer_slack.h"

namespace harness {
namespace {

TEST(SleepCheckTest, QuantilesAreNearestRanks) {
  std::vector<TimeNs> values;
  for (TimeNs i = 200; i >= 1; --i) values.push_back(i);
  const Overshoot overshoot = overshoot_of(values);
  EXPECT_EQ(overshoot.p50_ns, 100);
  EXPECT_EQ(overshoot.p99_ns, 198);
  EXPECT_EQ(overshoot.max_ns, 200);
  EXPECT_EQ(overshoot_of({7}).p50_ns, 7);
  EXPECT_EQ(overshoot_of({7}).p99_ns, 7);
}

TEST(SleepCheckTest, SleepsLastAndLeaveTheSlackAsItWas) {
  const TimeNs slack_ns = timer_slack_ns();
  const TimeNs began_ns = steady_ns();
  const SleepFindings findings = measure_slack(5, kNsPerMs);
  EXPECT_GE(steady_ns() - began_ns, 10 * kNsPerMs);
  EXPECT_GE(findings.exact.p50_ns, 0);
  EXPECT_LE(findings.exact.p99_ns, findings.exact.max_ns);
  EXPECT_EQ(timer_slack_ns(), slack_ns);
}

TEST(SleepCheckTest, JudgesSleepsWithTheSmallSlack) {
  SleepFindings findings{50'000, true, {60'000, 2'000'000, 2'000'000}, {8'000, 40'000, 50'000}};
  expect_check(check_sleeps(findings), CheckLevel::kOk,
               {"p50 8 us, p99 40 us late with 1 ns", "p50 60 us, p99 2000 us with 50000 ns"});
  findings.exact.p99_ns = 3'000'000;
  EXPECT_EQ(check_sleeps(findings).level, CheckLevel::kWarn);
  findings.exact.p99_ns = 40'000;
  findings.slack_set = false;
  EXPECT_EQ(check_sleeps(findings).level, CheckLevel::kWarn);
}

}  // namespace
}  // namespace harness

#include "harness/machine/precise_wait.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/time.h>

#include "harness/machine/steady_clock.h"
#include "harness/machine/timer_slack.h"

namespace harness {
namespace {

TEST(PreciseWait, NeverEndsEarly) {
  set_timer_slack();
  EXPECT_EQ(timer_slack_ns(), 1);
  for (const bool spin : {false, true}) {
    for (const TimeNs ahead : {-kNsPerMs, TimeNs{0}, TimeNs{1}, 30 * kNsPerUs, kNsPerMs, 20 * kNsPerMs}) {
      const TimeNs deadline = steady_ns() + ahead;
      const TimeNs ended = precise_wait(deadline, {spin});
      EXPECT_GE(ended, deadline);
      EXPECT_GE(steady_ns(), ended);
      EXPECT_LT(ended, deadline + 10 * kNsPerS);  // a loaded machine may be so late
    }
  }
}

TEST(PreciseWait, SpinningSleepsUntilTheMargin) {
  EXPECT_EQ(sleep_deadline_ns(1'000'000, {false, 200'000}), 1'000'000);
  EXPECT_EQ(sleep_deadline_ns(1'000'000, {true, 200'000}), 800'000);
  EXPECT_EQ(sleep_deadline_ns(kNever, {true, 200'000}), kNever);
}

TEST(PreciseWait, SleepingTakesNoProcessorTime) {
  timespec before{};
  timespec after{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
  sleep_until(steady_ns() + 200 * kNsPerMs);
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
  const TimeNs used = (after.tv_sec - before.tv_sec) * kNsPerS + after.tv_nsec - before.tv_nsec;
  EXPECT_LT(used, 20 * kNsPerMs);
}

TEST(PreciseWait, ASignalEndsIt) {
  struct sigaction ignore_it {};
  struct sigaction former {};
  ignore_it.sa_handler = [](int) {};
  sigaction(SIGALRM, &ignore_it, &former);
  const itimerval soon{{0, 20'000}, {0, 20'000}};  // repeated, in case the first comes before the sleep
  setitimer(ITIMER_REAL, &soon, nullptr);
  for (const bool spin : {false, true}) {
    const TimeNs deadline = steady_ns() + 60 * kNsPerS;
    EXPECT_LT(precise_wait(deadline, {spin}), deadline);
  }
  const itimerval off{};
  setitimer(ITIMER_REAL, &off, nullptr);
  sigaction(SIGALRM, &former, nullptr);
}

}  // namespace
}  // namespace harness

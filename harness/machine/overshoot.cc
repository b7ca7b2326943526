#include "harness/machine/overshoot.h"

#include <sys/prctl.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>

#include "harness/core/check.h"
#include "harness/machine/steady_clock.h"
#include "harness/machine/timer_slack.h"

namespace harness {
namespace {

// The schedule lag that the load generator should keep on a free core, and the lag at which results for SLOs
// of tens of ms get inexact.
constexpr TimeNs kGoodP50Ns = 100'000;
constexpr TimeNs kGoodP99Ns = 1'000'000;

TimeNs at_rank(const std::vector<TimeNs>& sorted, double share) {
  const auto count = static_cast<double>(sorted.size());
  auto place = static_cast<std::size_t>(share * count);
  if (static_cast<double>(place) < share * count) ++place;  // the least value with that share up to it
  return sorted[std::clamp<std::size_t>(place, 1, sorted.size()) - 1];
}

std::string text_of(const Overshoot& overshoot) {
  char text[64];
  std::snprintf(text, sizeof text, "p50 %.0f us, p99 %.0f us", static_cast<double>(overshoot.p50_ns) / 1e3,
                static_cast<double>(overshoot.p99_ns) / 1e3);
  return text;
}

}  // namespace

Overshoot overshoot_of(std::vector<TimeNs> overshoot_ns) {
  HARNESS_CHECK(!overshoot_ns.empty(), "quantiles of nothing");
  std::sort(overshoot_ns.begin(), overshoot_ns.end());
  return {at_rank(overshoot_ns, 0.5), at_rank(overshoot_ns, 0.99), overshoot_ns.back()};
}

Overshoot measure_sleeps(int times, TimeNs period_ns) {
  std::vector<TimeNs> overshoot_ns;
  for (int i = 0; i < times; ++i) {
    const TimeNs due_ns = steady_ns() + period_ns;
    const timespec due = to_timespec(due_ns);
    while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, nullptr) == EINTR) {
    }
    overshoot_ns.push_back(std::max<TimeNs>(steady_ns() - due_ns, 0));
  }
  return overshoot_of(std::move(overshoot_ns));
}

SleepFindings measure_slack(int times, TimeNs period_ns) {
  constexpr unsigned long kDefault = 0;  // back to the thread's usual slack
  SleepFindings findings;
  const TimeNs before_ns = timer_slack_ns();
  ::prctl(PR_SET_TIMERSLACK, kDefault, 0UL, 0UL, 0UL);
  findings.usual_slack_ns = timer_slack_ns();
  findings.usual = measure_sleeps(times, period_ns);
  findings.slack_set = set_timer_slack();
  findings.exact = measure_sleeps(times, period_ns);
  if (before_ns > 0) ::prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(before_ns), 0UL, 0UL, 0UL);
  return findings;
}

Check check_sleeps(const SleepFindings& findings) {
  std::string usual =
      findings.usual_slack_ns < 0 ? "the usual" : std::to_string(findings.usual_slack_ns) + " ns";
  const std::string found = "a sleep of 1 ms ends " + text_of(findings.exact) + " late with 1 ns of slack, " +
                            text_of(findings.usual) + " with " + usual;
  if (!findings.slack_set)
    return {CheckLevel::kWarn, "timers", found, "the kernel refuses a smaller timer slack: allow prctl"};
  if (findings.exact.p50_ns > kGoodP50Ns || findings.exact.p99_ns > kGoodP99Ns) {
    return {CheckLevel::kWarn, "timers", found,
            "requests will leave late by as much: free cores, governor performance, or live.spin = true"};
  }
  return {CheckLevel::kOk, "timers", found, ""};
}

}  // namespace harness

#include "harness/machine/precise_wait.h"

#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "harness/core/error.h"
#include "harness/machine/this_host.h"

namespace harness {
namespace {

/// A set of up to kMaxCores cores, in the kernel's form.
class CoreSet {
 public:
  static constexpr int kMaxCores = 8192;
  CoreSet() : bits_(CPU_ALLOC(kMaxCores)) { CPU_ZERO_S(size(), bits_); }
  ~CoreSet() { CPU_FREE(bits_); }
  CoreSet(const CoreSet&) = delete;
  CoreSet& operator=(const CoreSet&) = delete;

  void add(int core) { CPU_SET_S(core, size(), bits_); }
  bool has(int core) const { return CPU_ISSET_S(core, size(), bits_); }
  /// Reads the cores of the calling thread. Returns false, with errno, if that fails.
  bool read() { return sched_getaffinity(0, size(), bits_) == 0; }
  /// Sets the cores of the calling thread. Returns false, with errno, if that fails.
  bool apply() const { return sched_setaffinity(0, size(), bits_) == 0; }

 private:
  static std::size_t size() { return CPU_ALLOC_SIZE(kMaxCores); }
  cpu_set_t* bits_;
};

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

TimeNs sleep_until(TimeNs deadline_ns) {
  TimeNs now = steady_ns();
  while (now < deadline_ns) {
    const timespec until = to_timespec(deadline_ns);
    const bool interrupted = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) != 0;
    now = steady_ns();
    if (interrupted) break;
  }
  return now;
}

TimeNs spin_until(TimeNs deadline_ns) {
  TimeNs now = steady_ns();
  while (now < deadline_ns) {
    __builtin_ia32_pause();
    now = steady_ns();
  }
  return now;
}

TimeNs precise_wait(TimeNs deadline_ns, const WaitParams& params) {
  const TimeNs slept_until = sleep_deadline_ns(deadline_ns, params);
  const TimeNs now = sleep_until(slept_until);
  return params.spin && now >= slept_until ? spin_until(deadline_ns) : now;
}

std::vector<int> allowed_cores() {
  CoreSet set;
  std::vector<int> cores;
  if (!set.read()) return cores;
  for (int core = 0; core < CoreSet::kMaxCores; ++core) {
    if (set.has(core)) cores.push_back(core);
  }
  return cores;
}

PinnedThread::PinnedThread(int core) : former_(allowed_cores()) {
  CoreSet one;
  const bool possible = core >= 0 && core < CoreSet::kMaxCores;
  if (possible) one.add(core);
  if (possible && one.apply()) return;
  std::string allowed;
  for (const int other : former_) allowed += (allowed.empty() ? "" : ", ") + std::to_string(other);
  throw EnvironmentError("cannot keep the sender on core " + std::to_string(core) + ": " +
                         std::strerror(possible ? errno : EINVAL) + "; allowed: " + allowed);
}

PinnedThread::~PinnedThread() {
  CoreSet set;
  for (const int core : former_) set.add(core);
  set.apply();
}

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

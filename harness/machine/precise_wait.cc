#include "harness/machine/precise_wait.h"

#include <time.h>

#include "harness/machine/steady_clock.h"

namespace harness {

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

}  // namespace harness

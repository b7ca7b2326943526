#include "systems/infless/idle_times.h"

namespace harness {

void IdleTimes::add(TimeNs now, TimeNs idle_ns) {
  long_.add(now, idle_ns);
  short_.add(now, idle_ns);
}

TimeNs IdleTimes::keep_alive_ns(TimeNs now, TimeNs otherwise_ns) {
  long_.forget(now);
  short_.forget(now);
  if (long_.empty()) return otherwise_ns;
  const TimeNs long_ns = long_.percentile_99_ns();
  return short_.empty() ? long_ns : (long_ns + short_.percentile_99_ns()) / 2;
}

}  // namespace harness

#include "systems/infless/keep_alive.h"

#include <algorithm>
#include <cstddef>

namespace harness {
namespace {

constexpr TimeNs kStepNs = kNsPerS;
constexpr TimeNs kMaxSteps = 4 * 3600;

}  // namespace

void IdleHistogram::add(TimeNs now, TimeNs idle_ns) {
  const auto step = static_cast<std::size_t>(std::min((idle_ns + kStepNs - 1) / kStepNs, kMaxSteps));
  ended_.push_back({now, step});
  if (counts_.size() <= step) counts_.resize(step + 1);
  ++counts_[step];
}

void IdleHistogram::forget(TimeNs now) {
  while (!ended_.empty() && now - ended_.front().at_ns > window_ns_) {
    --counts_[ended_.front().step];
    ended_.pop_front();
  }
}

TimeNs IdleHistogram::percentile_99_ns() const {
  const std::size_t rank = (99 * ended_.size() + 99) / 100;  // rounded up
  std::size_t step = 0;
  for (std::size_t below = counts_[0]; below < rank; below += counts_[step]) ++step;
  return static_cast<TimeNs>(step) * kStepNs;
}

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

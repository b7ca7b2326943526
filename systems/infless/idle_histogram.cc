#include "systems/infless/idle_histogram.h"

#include <algorithm>

namespace harness {
namespace {

constexpr TimeNs kStepNs = kNsPerS;
constexpr TimeNs kMaxIdleSteps = 4 * 3600;

}  // namespace

void IdleHistogram::add(TimeNs now, TimeNs idle_ns) {
  const auto step = static_cast<std::size_t>(std::min((idle_ns + kStepNs - 1) / kStepNs, kMaxIdleSteps));
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

}  // namespace harness

#include "harness/gpu/cuda/cuda_clock.h"

#include <cstddef>
#include <optional>

#include "harness/machine/steady_clock.h"

namespace harness {
namespace {

/// The largest number of tries, of which the last counts; the first are slow, because the calls are cold.
constexpr int kMaxTries = 5;
constexpr TimeNs kNarrowNs = 10 * kNsPerUs;
constexpr TimeNs kPatienceNs = 200 * kNsPerUs;

}  // namespace

CudaClock::CudaClock() {
  for (int i = 0; i < DeviceClock::kReferences; ++i) events_.emplace_back(CudaEvent::Timing::kOn);
  DeviceClock::Bracket bracket;
  CudaEvent& event = events_[static_cast<std::size_t>(clock_.spare())];
  event.record(stream_);  // the first call of all may take long
  stream_.synchronize();
  if (!record(event, bracket)) {
    stream_.synchronize();  // a device that has much to do: the bracket is wide, and says so
    bracket.after_ns = steady_ns();
  }
  clock_.renew(bracket, std::nullopt);
}

void CudaClock::keep_current() {
  if (!clock_.is_due(steady_ns())) return;
  CudaEvent& event = events_[static_cast<std::size_t>(clock_.spare())];
  DeviceClock::Bracket bracket;
  if (!record(event, bracket)) {
    clock_.postpone(bracket.after_ns);
    return;
  }
  const CudaEvent& current = events_[static_cast<std::size_t>(clock_.current())];
  clock_.renew(bracket, static_cast<double>(event.ms_since(current)));
}

TimeNs CudaClock::host_ns(int reference, const CudaEvent& event) const {
  const float since_ms = event.ms_since(events_[static_cast<std::size_t>(reference)]);
  return clock_.host_ns(reference, static_cast<double>(since_ms));
}

bool CudaClock::record(CudaEvent& event, DeviceClock::Bracket& bracket) {
  for (int i = 0; i < kMaxTries; ++i) {
    bracket.before_ns = steady_ns();
    event.record(stream_);
    do {
      const bool passed = event.passed();
      bracket.after_ns = steady_ns();
      if (passed) break;
      if (bracket.after_ns - bracket.before_ns > kPatienceNs) return false;
    } while (true);
    if (bracket.after_ns - bracket.before_ns <= kNarrowNs) break;
  }
  return true;
}

}  // namespace harness

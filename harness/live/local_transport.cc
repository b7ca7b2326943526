#include <time.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/live/loopback.h"
#include "harness/live/steady_clock.h"
#include "harness/live/transport.h"

namespace harness {
namespace {

/// A signal that comes just before the sleep does not end it; the loop looks after this long at the latest.
constexpr TimeNs kLongestSleepNs = 100 * kNsPerMs;

class LocalTransport final : public Transport {
 public:
  int rank() const override { return 0; }
  int ranks() const override { return 1; }

  void send(int to, std::span<const std::byte> message) override {
    HARNESS_CHECK(to == 0, "a message to a rank that does not exist");
    loopback_.send(message);
  }

  void flush() override { loopback_.flush(); }

  std::size_t receive(const TakeMessage& take) override { return loopback_.receive(take); }

  void wait_until(TimeNs deadline_ns) override {
    const TimeNs now_ns = steady_ns();
    if (loopback_.arrived() || deadline_ns <= now_ns) return;
    ++counters_.sleeps;
    const timespec end = to_timespec(std::min(deadline_ns, now_ns + kLongestSleepNs));
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, nullptr);
  }

  const TransportCounters& counters() const override { return counters_; }

 private:
  TransportCounters counters_;
  Loopback loopback_{0, counters_};
};

}  // namespace

std::unique_ptr<Transport> make_local_transport() { return std::make_unique<LocalTransport>(); }

}  // namespace harness

#include "harness/live/transport/local_transport.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "harness/core/check.h"
#include "harness/live/transport/loopback.h"
#include "harness/live/transport/wake_board.h"
#include "harness/machine/steady_clock.h"

namespace harness {
namespace {

class LocalTransport final : public Transport {
 public:
  LocalTransport() { HARNESS_CHECK(WakeBoard::bytes(1) <= memory_.size(), "a board that is larger"); }

  int rank() const override { return 0; }
  int ranks() const override { return 1; }

  void send(int to, std::span<const std::byte> message, std::span<const std::byte> rest) override {
    HARNESS_CHECK(to == 0, "a message to a rank that does not exist");
    loopback_.send(message, rest);
  }

  void flush() override { loopback_.flush(); }

  std::size_t receive(const TakeMessage& take) override { return loopback_.receive(take); }

  void wait_until(TimeNs deadline_ns) override {
    const TimeNs now_ns = steady_ns();
    if (loopback_.arrived() || deadline_ns <= now_ns) return;
    board_.lie_down();
    if (!interrupted_.load()) {
      ++counters_.sleeps;
      board_.sleep(std::min(deadline_ns, now_ns + kLongestSleepNs));
    }
    board_.get_up();
    interrupted_.store(false);
  }

  std::span<const std::uint64_t> gpu_sets() const override { return gpu_sets_; }

  void interrupt() override {
    interrupted_.store(true);
    board_.interrupt();
  }

  const TransportCounters& counters() const override { return counters_; }

 private:
  TransportCounters counters_;
  std::array<std::uint64_t, 1> gpu_sets_{};
  Loopback loopback_{0, counters_};
  alignas(64) std::array<std::byte, 128> memory_{};  ///< memory of a board with one rank
  WakeBoard board_{0, {memory_.data()}};
  std::atomic<bool> interrupted_{false};
};

}  // namespace

std::unique_ptr<Transport> make_local_transport() { return std::make_unique<LocalTransport>(); }

}  // namespace harness

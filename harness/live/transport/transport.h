// Messages between the ranks of a live run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "harness/core/types.h"

namespace harness {

struct TransportCounters;

/// The longest sleep. A rank that sleeps looks this often for what nobody told it of: a datagram may be lost,
/// and a signal may come just before the sleep.
inline constexpr TimeNs kLongestSleepNs = 100 * kNsPerMs;

/// The number of bytes of the largest message that send() takes.
inline constexpr std::size_t kLargestMessage = std::size_t{64} << 20;

/// A function that handles a message. The bytes are valid during the call only, and may begin at any address.
using TakeMessage = std::function<void(int from, std::span<const std::byte> message)>;

/// The exchange of messages between the ranks of a live run. A process has one object, used by the loop's
/// thread only, but for interrupt(). It reports failures while running (a packet of another version) as
/// EnvironmentError.
class Transport {
 public:
  virtual ~Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  virtual int rank() const = 0;
  virtual int ranks() const = 0;
  /// Adds a message for `to` (another rank or this one) to what the next flush() sends: `message` and then
  /// `rest`, at most kLargestMessage bytes. Messages from one rank to another arrive in order, once.
  virtual void send(int to, std::span<const std::byte> message, std::span<const std::byte> rest = {}) = 0;
  /// Sends the collected messages, in one packet for each destination. Call it once per loop turn.
  virtual void flush() = 0;
  /// Calls `take` for every message that has arrived, and returns their number. Also moves sends on. `take`
  /// may call send(), but not receive(); what it sends to this rank comes at a receive() after the next
  /// flush(). Passes on what `take` throws: then the messages behind that one in its packet are lost, and the
  /// next receive() hands over what has come in other packets.
  virtual std::size_t receive(const TakeMessage& take) = 0;
  /// Sleeps until steady_ns() reaches `deadline_ns`, a message may have arrived, or a signal comes; may
  /// return early for no reason. Returns at once if a message is known to wait. Meets the deadline as exactly
  /// as the thread's timer slack allows (timer_slack.h).
  virtual void wait_until(TimeNs deadline_ns) = 0;
  /// Ends the wait_until() under way, or else the next one. Any thread may call it; it costs a system call if
  /// the rank sleeps.
  virtual void interrupt() = 0;
  virtual const TransportCounters& counters() const = 0;
  /// Returns visible_gpu_set() of each rank (visible_gpus.h).
  virtual std::span<const std::uint64_t> gpu_sets() const = 0;

 protected:
  Transport() = default;
};

/// The work of a transport since it was made. Messages and bytes include what a rank sends itself; packets
/// and wake-ups are only what went between processes. Over all ranks, once everything has arrived, sent =
/// received.
struct TransportCounters {
  std::uint64_t messages_sent = 0;
  std::uint64_t messages_received = 0;
  std::uint64_t bytes_sent = 0;  ///< bytes of messages, without the headers of packets
  std::uint64_t bytes_received = 0;
  std::uint64_t packets_sent = 0;
  std::uint64_t packets_received = 0;
  std::uint64_t packets_lost = 0;      ///< number of packets whose numbers are missing between the received
                                       ///< ones
  std::uint64_t packets_repeated = 0;  ///< number of packets that came again, and were not handed over
  std::uint64_t wakes_sent = 0;        ///< number of system calls that woke a sleeping rank
  std::uint64_t wakes_received = 0;
  std::uint64_t sleeps = 0;  ///< number of times that wait_until() gave up the processor
};

}  // namespace harness

// Messages between the ranks of a live run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "harness/core/types.h"

namespace harness {

/// A rank that sleeps asks this often for what nobody told it of: a datagram may be lost, and a signal may
/// come just before the sleep.
inline constexpr TimeNs kLongestSleepNs = 100 * kNsPerMs;

/// Largest message that send() takes.
inline constexpr std::size_t kLargestMessage = std::size_t{64} << 20;

/// What a transport has done since it was made. Messages and bytes count what a rank sends itself too;
/// packets and wake-ups are what went between processes. Over all ranks, once everything has arrived, sent =
/// received.
struct TransportCounters {
  std::uint64_t messages_sent = 0;
  std::uint64_t messages_received = 0;
  std::uint64_t bytes_sent = 0;  ///< of messages, without the headers of packets
  std::uint64_t bytes_received = 0;
  std::uint64_t packets_sent = 0;
  std::uint64_t packets_received = 0;
  std::uint64_t packets_lost = 0;      ///< numbers missing between those received
  std::uint64_t packets_repeated = 0;  ///< came again, and were not handed over
  std::uint64_t wakes_sent = 0;        ///< system calls that wake a sleeping rank
  std::uint64_t wakes_received = 0;
  std::uint64_t sleeps = 0;  ///< times that wait_until() gave up the processor
};

/// What handles a message. The bytes are valid during the call only and may stand at any address.
using TakeMessage = std::function<void(int from, std::span<const std::byte> message)>;

/// Messages between the ranks of a live run. One per process, used from the loop's thread only, but for
/// interrupt(). What fails while running (a packet of another version) is an EnvironmentError.
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
  /// Sends what has been collected, one packet a destination. Call once a loop turn.
  virtual void flush() = 0;
  /// Calls `take` for every message that has arrived, and returns how many. Also moves sends on. `take` may
  /// send(), not receive(); what it sends to this rank comes at a receive() after the next flush(). When
  /// `take` throws, this passes it on: what stands behind that message in its packet is gone, what has
  /// come in other packets is handed over by the next receive().
  virtual std::size_t receive(const TakeMessage& take) = 0;
  /// Sleeps until steady_ns() reaches `deadline_ns`, or a message may have arrived, or a signal came; may
  /// return early for no reason. Returns at once when a message is known to wait. The deadline is met as
  /// exactly as the thread's timer slack lets it (visible_gpus.h).
  virtual void wait_until(TimeNs deadline_ns) = 0;
  /// Ends the wait_until() under way, or the next one. From any thread; costs a system call when the rank
  /// sleeps.
  virtual void interrupt() = 0;
  virtual const TransportCounters& counters() const = 0;
  /// visible_gpu_set() of each rank (visible_gpus.h).
  virtual std::span<const std::uint64_t> gpu_sets() const = 0;

 protected:
  Transport() = default;
};

/// One rank, which sends to itself.
std::unique_ptr<Transport> make_local_transport();

/// How a sleeping rank learns that a packet was sent to it.
enum class WakeBy : std::uint8_t {
  kMemory,  ///< by shared memory between ranks of a host, by datagrams between hosts
  kSocket,  ///< by datagrams; without a network as kPolling
  kPolling  ///< it asks every millisecond
};

/// The ranks of MPI_COMM_WORLD. Collective, as is destroying it, which waits until all ranks do so and drops
/// what has not been received. MPI must have been started, and end after it; with one rank, or without MPI, a
/// local transport.
std::unique_ptr<Transport> make_mpi_transport(WakeBy by = WakeBy::kMemory);

}  // namespace harness

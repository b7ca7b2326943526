// A datagram socket by which ranks wake each other, and a sleep that it ends. MPI (Open MPI 4.1) has no
// receive with a time limit, and waits by spinning; so MPI carries the messages, and a datagram says that
// there is one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "harness/core/types.h"

namespace harness {

/// Returns a number that is the same for two processes if and only if they can reach each other over
/// 127.0.0.1.
std::uint64_t this_host();

/// Returns a number that no other job of this machine has, from the kernel's random source.
std::uint64_t random_token();

/// The socket of one rank, used by one thread. A datagram may be lost, repeated or late: it is a hint.
class WakeSocket {
 public:
  /// The address at which a rank is woken; ranks send each other its bytes.
  struct Address {
    std::uint64_t host = 0;  ///< this_host() of that rank
    std::uint32_t ipv4 = 0;  ///< network byte order, for ranks of other hosts
    std::uint16_t port = 0;  ///< network byte order; 0: cannot be woken
    std::uint16_t reserved = 0;
  };
  enum class Woken : std::uint8_t {
    kByDatagram,  ///< there is something to read; drain() it, or the next sleep ends at once
    kByDeadline,  ///< steady_ns() has reached the deadline
    kEarly        ///< `longest_ns` has passed, or a signal came
  };
  /// Called for a datagram: rank `from` has sent this one `packets` packets so far.
  using TakeWake = std::function<void(int from, std::uint64_t packets)>;

  /// `token` is the job's: datagrams with another token are ignored. With `one_host`, nobody outside this
  /// host can reach the socket. If no socket can be opened, the object still sleeps, and address().port is 0.
  WakeSocket(int rank, std::uint64_t token, bool one_host);
  ~WakeSocket();
  WakeSocket(const WakeSocket&) = delete;
  WakeSocket& operator=(const WakeSocket&) = delete;

  const Address& address() const { return address_; }

  /// Sends `to` a datagram; returns false if it could not be sent. Never waits.
  bool wake(const Address& to, std::uint64_t packets) const;
  /// Reads all datagrams that have come; returns the number of them that were this job's.
  std::size_t drain(const TakeWake& take) const;
  /// Sleeps until steady_ns() reaches `deadline_ns`, met exactly, until a datagram or a signal comes, or
  /// until `longest_ns` has passed, which the kernel may stretch by a thousandth.
  Woken sleep(TimeNs deadline_ns, TimeNs longest_ns);

 private:
  void open_socket(bool one_host);

  int rank_;
  std::uint64_t token_;
  int socket_ = -1;
  int timer_ = -1;
  TimeNs armed_ns_ = kNever;  ///< time to which timer_ is set
  Address address_;
};

}  // namespace harness

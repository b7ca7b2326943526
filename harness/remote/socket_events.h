// The sockets on which a client waits, with few calls into the kernel.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/core/types.h"

namespace harness {

/// An epoll set. A socket of a kept connection stays in it between two requests, which saves two system calls
/// per request. Used by one thread.
class SocketEvents {
 public:
  static constexpr std::uint8_t kRead = 1;
  static constexpr std::uint8_t kWrite = 2;

  struct Event {
    int socket = -1;
    std::uint8_t ready = 0;  ///< kRead, kWrite or both, and only what is wanted
  };

  /// Throws EnvironmentError if the kernel has no more descriptors.
  SocketEvents();
  ~SocketEvents();
  SocketEvents(const SocketEvents&) = delete;
  SocketEvents& operator=(const SocketEvents&) = delete;

  /// Tells that a new socket was opened, or that a socket is about to be closed. Sockets that were not
  /// announced as opened leave the set as soon as nothing is wanted of them.
  void opened(int socket);
  void closed(int socket);
  /// Sets what is waited for on the socket: kRead, kWrite, both, or 0. Returns false if the kernel refuses.
  bool want(int socket, std::uint8_t wanted);
  /// Replaces `events` by those that are there now; at most kAtOnce, so that other work gets its turn.
  void look(std::vector<Event>& events);
  /// Sleeps until there is an event or the time, of steady_ns(), has come.
  void sleep_until(TimeNs time_ns) const;

 private:
  static constexpr int kAtOnce = 16;

  struct Socket {
    std::uint8_t wanted = 0;
    std::uint8_t in_set = 0;  ///< events that the kernel watches; 0: it is not in the set
    bool announced = false;
  };
  Socket& at(int socket);
  bool watch(int socket, std::uint8_t wanted);

  int epoll_;
  std::vector<Socket> sockets_;  // by descriptor
};

}  // namespace harness

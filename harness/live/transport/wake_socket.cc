#include "harness/live/transport/wake_socket.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <fstream>
#include <string>

#include "harness/core/hash.h"
#include "harness/machine/steady_clock.h"

namespace harness {
namespace {

struct Datagram {
  std::uint64_t token = 0;
  std::uint64_t packets = 0;
  std::int32_t from = 0;
  std::uint32_t reserved = 0;
};

sockaddr_in socket_address(std::uint32_t ipv4, std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = ipv4;
  address.sin_port = port;
  return address;
}

/// Returns the first address that other hosts may reach, in network byte order; 0 if this host has no such
/// address.
std::uint32_t outside_address() {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return 0;
  std::uint32_t found = 0;
  for (const ifaddrs* entry = list; entry != nullptr && found == 0; entry = entry->ifa_next) {
    if (entry->ifa_addr == nullptr || entry->ifa_addr->sa_family != AF_INET) continue;
    if ((entry->ifa_flags & IFF_LOOPBACK) != 0 || (entry->ifa_flags & IFF_RUNNING) == 0) continue;
    sockaddr_in address{};
    std::memcpy(&address, entry->ifa_addr, sizeof address);
    found = address.sin_addr.s_addr;
  }
  freeifaddrs(list);
  return found;
}

}  // namespace

std::uint64_t this_host() {
  std::string boot;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
  std::array<char, 256> text{};
  gethostname(text.data(), text.size() - 1);
  const std::uint64_t named = hash_text(text.data(), hash_text(boot));
  text.fill(0);
  // Containers of one machine have networks of their own.
  if (readlink("/proc/self/ns/net", text.data(), text.size() - 1) < 0) text.fill(0);
  return hash_text(text.data(), named);
}

std::uint64_t random_token() {
  std::uint64_t token = 0;
  if (getrandom(&token, sizeof token, 0) != sizeof token) {
    token = mix64(static_cast<std::uint64_t>(steady_ns()) ^ (static_cast<std::uint64_t>(getpid()) << 40));
  }
  return token;
}

WakeSocket::WakeSocket(int rank, std::uint64_t token, bool one_host)
    : rank_(rank), token_(token), timer_(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)) {
  address_.host = this_host();
  open_socket(one_host);
}

WakeSocket::~WakeSocket() {
  for (const int file : {socket_, timer_}) {
    if (file >= 0) close(file);
  }
}

void WakeSocket::open_socket(bool one_host) {
  address_.ipv4 = one_host ? htonl(INADDR_LOOPBACK) : outside_address();
  socket_ = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (socket_ < 0 || address_.ipv4 == 0) return;
  sockaddr_in address = socket_address(one_host ? address_.ipv4 : htonl(INADDR_ANY), 0);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(socket_, generic, size) != 0 || getsockname(socket_, generic, &size) != 0) return;
  address_.port = address.sin_port;
}

bool WakeSocket::wake(const Address& to, std::uint64_t packets) const {
  if (socket_ < 0 || to.port == 0) return false;
  const Datagram datagram{token_, packets, rank_, 0};
  const sockaddr_in address =
      socket_address(to.host == address_.host ? htonl(INADDR_LOOPBACK) : to.ipv4, to.port);
  return sendto(socket_, &datagram, sizeof datagram, MSG_DONTWAIT | MSG_NOSIGNAL,
                reinterpret_cast<const sockaddr*>(&address), sizeof address) == sizeof datagram;
}

std::size_t WakeSocket::drain(const TakeWake& take) const {
  std::size_t count = 0;
  for (;;) {
    std::array<std::byte, sizeof(Datagram) + 1> bytes{};  // one more, so that a longer datagram shows
    const ssize_t size = recv(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT);
    // An error may be that an earlier wake() found nobody; the next read goes on.
    if (size < 0 && (errno == ECONNREFUSED || errno == EINTR)) continue;
    if (size < 0) return count;
    Datagram datagram;
    std::memcpy(&datagram, bytes.data(), sizeof datagram);
    if (size != sizeof datagram || datagram.token != token_) continue;
    ++count;
    take(datagram.from, datagram.packets);
  }
}

WakeSocket::Woken WakeSocket::sleep(TimeNs deadline_ns, TimeNs longest_ns) {
  const TimeNs now_ns = steady_ns();
  if (deadline_ns <= now_ns) return Woken::kByDeadline;
  std::array<pollfd, 2> files{{{socket_, POLLIN, 0}, {-1, POLLIN, 0}}};
  TimeNs limit_ns = longest_ns;
  if (deadline_ns - now_ns < longest_ns) {
    // ppoll's own limit may be met a thousandth late, so a timer ends the sleep.
    if (timer_ >= 0 && armed_ns_ != deadline_ns) {
      const itimerspec at{{}, to_timespec(deadline_ns)};
      armed_ns_ = timerfd_settime(timer_, TFD_TIMER_ABSTIME, &at, nullptr) == 0 ? deadline_ns : kNever;
    }
    if (armed_ns_ == deadline_ns) {
      files[1].fd = timer_;
    } else {
      limit_ns = deadline_ns - now_ns;
    }
  }
  const timespec limit = to_timespec(limit_ns);
  const int ready = ppoll(files.data(), files.size(), &limit, nullptr);
  if (ready > 0 && files[0].revents != 0) return Woken::kByDatagram;
  return steady_ns() >= deadline_ns ? Woken::kByDeadline : Woken::kEarly;
}

}  // namespace harness

#include "harness/remote/socket_events.h"

#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "harness/core/environment_error.h"
#include "harness/machine/steady_clock.h"

namespace harness {

SocketEvents::SocketEvents() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  if (epoll_ < 0) throw EnvironmentError(std::string("cannot watch sockets: ") + std::strerror(errno));
}

SocketEvents::~SocketEvents() { close(epoll_); }

SocketEvents::Socket& SocketEvents::at(int socket) {
  const auto index = static_cast<std::size_t>(socket);
  if (index >= sockets_.size()) sockets_.resize(index + 1);
  return sockets_[index];
}

void SocketEvents::opened(int socket) { at(socket) = {0, 0, true}; }

void SocketEvents::closed(int socket) {
  if (at(socket).in_set != 0) watch(socket, 0);
  at(socket) = {};
}

bool SocketEvents::want(int socket, std::uint8_t wanted) {
  Socket& entry = at(socket);
  entry.wanted = wanted;
  const bool stays = wanted == 0 && entry.announced;
  return stays || entry.in_set == wanted || watch(socket, wanted);
}

bool SocketEvents::watch(int socket, std::uint8_t wanted) {
  epoll_event event{};
  event.events = ((wanted & kRead) != 0 ? EPOLLIN : 0U) | ((wanted & kWrite) != 0 ? EPOLLOUT : 0U);
  event.data.fd = socket;
  const bool is_new = at(socket).in_set == 0;
  const int operation = wanted == 0 ? EPOLL_CTL_DEL : is_new ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
  // A socket that was closed without notice has left the set by itself.
  const int otherwise = is_new ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
  const bool done = epoll_ctl(epoll_, operation, socket, &event) == 0 || wanted == 0 ||
                    epoll_ctl(epoll_, otherwise, socket, &event) == 0;
  at(socket).in_set = done ? wanted : 0;
  return done;
}

void SocketEvents::look(std::vector<Event>& events) {
  std::array<epoll_event, kAtOnce> found;
  const int count = epoll_wait(epoll_, found.data(), kAtOnce, 0);
  events.clear();
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = found[static_cast<std::size_t>(i)];
    const std::uint8_t wanted = at(event.data.fd).wanted;
    std::uint8_t ready = 0;
    if ((event.events & EPOLLIN) != 0) ready |= kRead;
    if ((event.events & EPOLLOUT) != 0) ready |= kWrite;
    if ((event.events & (EPOLLERR | EPOLLHUP)) != 0) ready |= kRead | kWrite;
    ready &= wanted;
    // The server closed a kept connection, or sent what nobody asked for.
    if (ready == 0) watch(event.data.fd, wanted);
    if (ready != 0) events.push_back({event.data.fd, ready});
  }
}

void SocketEvents::sleep_until(TimeNs time_ns) const {
  const TimeNs left_ns = time_ns - steady_ns();
  if (left_ns <= 0) return;
  pollfd ready{epoll_, POLLIN, 0};
  const timespec longest = to_timespec(left_ns);
  ppoll(&ready, 1, time_ns == kNever ? nullptr : &longest, nullptr);
}

}  // namespace harness

// A server for tests of HTTP clients, which answers in whatever way a test wants.
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "harness/machine/steady_clock.h"

namespace harness {

/// An answer to one request: bytes, and what happens to the connection behind them.
struct TestReply {
  enum class Then { kKeep, kClose, kReset, kHalfClose };
  std::string bytes;
  Then then = Then::kKeep;
  int delay_ms = 0;       ///< time before the first byte
  std::size_t piece = 0;  ///< number of bytes sent in a turn of about a millisecond; 0: as many as fit
};

/// Returns a whole answer of HTTP/1.1.
inline TestReply test_answer(int status, const std::string& body = "") {
  return {"HTTP/1.1 " + std::to_string(status) + " Text\r\nContent-Length: " + std::to_string(body.size()) +
          "\r\n\r\n" + body};
}

inline sockaddr_in test_loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = port;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

/// A listening socket on a port of the kernel's choice, and that port in network byte order.
inline std::pair<int, std::uint16_t> test_listener() {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  sockaddr_in address = test_loopback(0);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener, any, size) != 0 || listen(listener, 4096) != 0 ||
      getsockname(listener, any, &size) != 0) {
    std::abort();
  }
  return {listener, address.sin_port};
}

inline std::string test_url(std::uint16_t port) { return "http://127.0.0.1:" + std::to_string(ntohs(port)); }

/// Returns the URL of a port on which nobody listens.
inline std::string url_of_nobody() {
  const auto [listener, port] = test_listener();
  close(listener);
  return test_url(port);
}

/// Serves HTTP/1.1 on a loopback port, on a thread of its own, until it is destroyed.
class TestHttpServer {
 public:
  /// Makes the answer to a whole request. Called on the server's thread.
  using Answer = std::function<TestReply(const std::string& request)>;

  explicit TestHttpServer(Answer answer) : answer_(std::move(answer)) {
    std::tie(listener_, port_) = test_listener();
    thread_ = std::thread([this] { serve(); });
  }
  ~TestHttpServer() {
    stopping_ = true;
    thread_.join();
    for (const auto& connection : connections_) close(connection->socket);
    close(listener_);
  }
  TestHttpServer(const TestHttpServer&) = delete;
  TestHttpServer& operator=(const TestHttpServer&) = delete;

  std::string url() const { return test_url(port_); }
  /// Returns the number of connections that were accepted, and of requests that arrived whole.
  std::size_t accepted() const { return accepted_; }
  std::size_t requests() const { return requests_; }

 private:
  struct Connection {
    int socket = -1;
    std::string received;
    TestReply reply;
    std::size_t sent = 0;
    TimeNs due_ns = kNever;  // of the reply that is being sent; kNever: no reply
    bool half_closed = false;
  };

  void serve() {
    while (!stopping_) {
      std::vector<pollfd> polled{{listener_, POLLIN, 0}};
      for (const auto& one : connections_) polled.push_back({one->socket, POLLIN, 0});
      const bool busy =
          std::ranges::any_of(connections_, [](const auto& one) { return one->due_ns != kNever; });
      poll(polled.data(), polled.size(), busy ? 1 : 20);
      for (std::size_t i = 1; i < polled.size(); ++i) {
        Connection& one = *connections_[i - 1];
        const bool open = (polled[i].revents == 0 || read_from(one)) && send_to(one);
        if (!open) close(std::exchange(one.socket, -1));
      }
      std::erase_if(connections_, [](const auto& one) { return one->socket < 0; });
      accept_all();
    }
  }

  void accept_all() {
    for (int socket = 0;
         (socket = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0;) {
      connections_.push_back(std::make_unique<Connection>());
      connections_.back()->socket = socket;
      ++accepted_;
    }
  }

  /// Returns false if the client has gone.
  bool read_from(Connection& one) {
    char bytes[65536];
    ssize_t count = 0;
    while ((count = recv(one.socket, bytes, sizeof bytes, 0)) > 0) {
      one.received.append(bytes, static_cast<std::size_t>(count));
    }
    if (count == 0 || errno != EAGAIN) return false;
    const std::size_t end = one.received.find("\r\n\r\n");
    if (end == std::string::npos || one.due_ns != kNever || one.half_closed) return true;
    const std::size_t length = one.received.find("Content-Length: ");
    const std::size_t body = length < end ? std::strtoull(&one.received[length + 16], nullptr, 10) : 0;
    if (one.received.size() < end + 4 + body) return true;
    ++requests_;
    one.reply = answer_(one.received.substr(0, end + 4 + body));
    one.received.erase(0, end + 4 + body);
    one.sent = 0;
    one.due_ns = steady_ns() + one.reply.delay_ms * kNsPerMs;
    return true;
  }

  /// Sends what is due. Returns false if the connection is to be closed.
  bool send_to(Connection& one) {
    if (one.due_ns > steady_ns()) return true;
    const std::size_t left = one.reply.bytes.size() - one.sent;
    const std::size_t piece = one.reply.piece == 0 ? left : std::min(left, one.reply.piece);
    const ssize_t count = send(one.socket, &one.reply.bytes[one.sent], piece, MSG_NOSIGNAL);
    if (count < 0) return errno == EAGAIN;
    one.sent += static_cast<std::size_t>(count);
    if (one.sent < one.reply.bytes.size()) return true;
    one.due_ns = kNever;
    const TestReply::Then then = one.reply.then;
    const linger at_once{1, 0};
    if (then == TestReply::Then::kReset)
      setsockopt(one.socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    if (then == TestReply::Then::kHalfClose) shutdown(one.socket, SHUT_WR);
    one.half_closed = then == TestReply::Then::kHalfClose;
    return then == TestReply::Then::kKeep || one.half_closed;
  }

  Answer answer_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::atomic<std::size_t> accepted_{0};
  std::atomic<std::size_t> requests_{0};
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace harness

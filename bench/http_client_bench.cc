// The HTTP client against a server that does nothing, over loopback, each on a core of its own where there
// are two. `closed_loop/N` keeps N requests under way and gives the time of one. `open_loop` first measures
// that rate with 64 under way, then sends half of it at times that are fixed before: it gives both rates, and
// p50, p99 and max of the schedule lag in us. `wrk` is Debian's load generator of that name against the same
// server. Only numbers from an idle machine mean anything.
#include <benchmark/benchmark.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "harness/machine/pinned_thread.h"
#include "harness/machine/steady_clock.h"
#include "harness/machine/timer_slack.h"
#include "harness/record/run/latency_histogram.h"
#include "harness/remote/http_client.h"

namespace harness {
namespace {

constexpr std::size_t kBodyBytes = 200;
constexpr std::string_view kAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";

/// Answers whatever arrives on a connection, which is one small request.
class NullServer {
 public:
  NullServer() : listener_(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0)), epoll_(epoll_create1(0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    if (bind(listener_, any, size) != 0 || listen(listener_, SOMAXCONN) != 0 ||
        getsockname(listener_, any, &size) != 0) {
      throw std::runtime_error("no socket to listen on");
    }
    url_ = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/v2/models/m/infer";
    watch(listener_);
    thread_ = std::thread([this] { serve(); });
  }
  ~NullServer() {
    stopping_ = true;
    thread_.join();
    for (const int socket : sockets_) close(socket);
    close(epoll_);
    close(listener_);
  }
  NullServer(const NullServer&) = delete;
  NullServer& operator=(const NullServer&) = delete;

  const std::string& url() const { return url_; }

 private:
  void watch(int socket) const {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = socket;
    epoll_ctl(epoll_, EPOLL_CTL_ADD, socket, &event);
  }

  void serve() {
    const PinnedThread pinned(allowed_cores().back());
    constexpr int kAtOnce = 64;
    constexpr int kLongestMs = 20;
    std::array<epoll_event, kAtOnce> events;
    while (!stopping_) {
      const int count = epoll_wait(epoll_, events.data(), kAtOnce, kLongestMs);
      for (int i = 0; i < count; ++i) {
        const int socket = events[static_cast<std::size_t>(i)].data.fd;
        if (socket == listener_) {
          accept_all();
        } else {
          answer(socket);
        }
      }
    }
  }

  void accept_all() {
    for (int socket = 0; (socket = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK)) >= 0;) {
      const int on = 1;
      setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      sockets_.push_back(socket);
      watch(socket);
    }
  }

  void answer(int socket) const {
    char bytes[4096];
    if (recv(socket, bytes, sizeof bytes, 0) > 0) {
      benchmark::DoNotOptimize(send(socket, kAnswer.data(), kAnswer.size(), MSG_NOSIGNAL));
    } else {
      epoll_ctl(epoll_, EPOLL_CTL_DEL, socket, nullptr);
    }
  }

  int listener_;
  int epoll_;
  std::string url_;
  std::vector<int> sockets_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

HttpRequest small_request(const std::string& url) {
  constexpr std::int64_t kTimeoutMs = 10'000;
  HttpRequest request;
  request.method = HttpMethod::kPost;
  request.url = url;
  request.body = std::make_shared<const std::string>(kBodyBytes, 'x');
  request.headers =
      std::make_shared<const HttpHeaders>(std::vector<std::string>{"Content-Type: application/json"});
  request.timeout_ms = kTimeoutMs;
  return request;
}

/// Starts as many requests as are missing to `under_way`.
void fill(HttpClient& client, const HttpRequest& request, std::size_t under_way) {
  for (std::size_t missing = under_way - client.in_flight(); missing > 0; --missing) client.start(request, 0);
}

/// Takes the ends and returns their number. Throws if a transfer failed.
std::size_t taken(HttpClient& client, std::vector<HttpEnd>& ends) {
  ends.clear();
  client.take(ends);
  for (const HttpEnd& end : ends) {
    if (end.error != HttpError::kNoError) throw std::runtime_error(end.error_text);
  }
  return ends.size();
}

void closed_loop(benchmark::State& state) {
  const NullServer server;
  const PinnedThread pinned(allowed_cores().front());
  const HttpRequest request = small_request(server.url());
  HttpClient client;
  std::vector<HttpEnd> ends;
  std::size_t ended = 0;
  for (auto _ : state) {
    while (ended == 0) {
      fill(client, request, static_cast<std::size_t>(state.range(0)));
      client.wait(kNever);
      ended = taken(client, ends);
    }
    --ended;
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(closed_loop)->Arg(1)->Arg(8)->Arg(64)->Arg(256)->UseRealTime();

/// Returns the rate with 64 requests under way.
double measured_rps(HttpClient& client, const HttpRequest& request) {
  constexpr std::size_t kUnderWay = 64;
  constexpr TimeNs kDurationNs = kNsPerS;
  std::vector<HttpEnd> ends;
  std::size_t ended = 0;
  const TimeNs began = steady_ns();
  while (steady_ns() < began + kDurationNs) {
    fill(client, request, kUnderWay);
    client.wait(kNever);
    ended += taken(client, ends);
  }
  const double rate_rps = static_cast<double>(ended) / ns_to_s(steady_ns() - began);
  while (client.in_flight() > 0) client.wait(kNever);
  taken(client, ends);
  return rate_rps;
}

void open_loop(benchmark::State& state) {
  constexpr double kShare = 0.5;
  constexpr TimeNs kDurationNs = 2 * kNsPerS;
  constexpr int kAtOnce = 8;  // requests between two looks at the answers, as in a run
  const NullServer server;
  const PinnedThread pinned(allowed_cores().front());
  set_timer_slack();
  const HttpRequest request = small_request(server.url());
  HttpClient client({.connections = 1000});
  std::vector<HttpEnd> ends;
  LatencyHistogram lag;
  double most_rps = 0;
  double sent_rps = 0;
  for (auto _ : state) {
    most_rps = measured_rps(client, request);
    sent_rps = kShare * most_rps;
    const auto gap_ns = static_cast<TimeNs>(static_cast<double>(kNsPerS) / sent_rps);
    const TimeNs end_ns = steady_ns() + kDurationNs;
    for (TimeNs due_ns = steady_ns(); due_ns < end_ns || client.in_flight() > 0;) {
      for (int i = 0; i < kAtOnce && due_ns < end_ns && due_ns <= steady_ns(); ++i, due_ns += gap_ns) {
        client.start(request, static_cast<std::uint64_t>(due_ns));
      }
      client.wait(due_ns < end_ns ? due_ns : kNever);
      taken(client, ends);
      for (const HttpEnd& end : ends) lag.add(end.started_ns - static_cast<TimeNs>(end.tag));
    }
  }
  const auto in_us = [&](double q) { return static_cast<double>(lag.quantile(q)) / kNsPerUs; };
  state.counters["most_rps"] = most_rps;
  state.counters["sent_rps"] = sent_rps;
  state.counters["lag_p50_us"] = in_us(0.5);
  state.counters["lag_p99_us"] = in_us(0.99);
  state.counters["lag_max_us"] = in_us(1);
}
BENCHMARK(open_loop)->Iterations(1)->Unit(benchmark::kMillisecond)->UseRealTime();

/// Gives the rate of wrk, a load generator that only repeats one request, with 64 under way from one core.
void wrk(benchmark::State& state) {
  const NullServer server;
  const std::string command = "taskset --cpu-list " + std::to_string(allowed_cores().front()) +
                              " wrk --threads 1 --connections 64 --duration 2s " + server.url() +
                              " 2>/dev/null";
  for (auto _ : state) {
    FILE* output = popen(command.c_str(), "r");
    char line[256];
    double most_rps = 0;
    while (output != nullptr && std::fgets(line, sizeof line, output) != nullptr) {
      std::sscanf(line, "Requests/sec: %lf", &most_rps);
    }
    if (output == nullptr || pclose(output) != 0) state.SkipWithError("wrk is not installed");
    state.counters["most_rps"] = most_rps;
  }
}
BENCHMARK(wrk)->Iterations(1)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace harness

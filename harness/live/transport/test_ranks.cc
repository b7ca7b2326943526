// The program that mpirun starts for the tests of the MPI transport: test_ranks WAKE MODE [SECONDS]. Says
// what went wrong, and then exits with 1.
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "harness/core/random_stream.h"
#include "harness/live/transport/mpi_transport.h"
#include "harness/live/transport/transport.h"
#include "harness/machine/steady_clock.h"
#include "harness/machine/timer_slack.h"

namespace harness {
namespace {

using Bytes = std::vector<std::byte>;
constexpr TimeNs kLimitNs = 60 * kNsPerS;

int failures = 0;

void expect(bool condition, const Transport& transport, const std::string& what) {
  if (condition || ++failures > 10) return;
  std::printf("rank %d: %s\n", transport.rank(), what.c_str());
}

/// Returns message `number` from one rank to another: both know its contents, and its size of up to 1 MB.
Bytes numbered(int from, int to, std::uint64_t number, std::uint64_t largest) {
  RandomStream random(number, "test_ranks", static_cast<std::uint64_t>(from * 1000 + to));
  const bool large = random.below(20) == 0;
  Bytes bytes(number == 0 ? largest : random.below(large ? largest : 200));
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(number);
  if (bytes.size() >= sizeof number) std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}

/// Checks that each rank's messages arrive, in order and once, and nothing else.
class Inbox {
 public:
  explicit Inbox(Transport& transport, std::uint64_t largest)
      : transport_(transport), next_(static_cast<std::size_t>(transport.ranks())), largest_(largest) {}
  void receive() {
    transport_.receive([this](int from, std::span<const std::byte> message) {
      const Bytes expected =
          numbered(from, transport_.rank(), next_[static_cast<std::size_t>(from)]++, largest_);
      expect(std::equal(message.begin(), message.end(), expected.begin(), expected.end()), transport_,
             "another message from rank " + std::to_string(from));
    });
  }
  bool complete(std::uint64_t each) const {
    return std::all_of(next_.begin(), next_.end(), [each](std::uint64_t count) { return count == each; });
  }

 private:
  Transport& transport_;
  std::vector<std::uint64_t> next_;
  std::uint64_t largest_;
};

/// Returns the sum over all ranks, on each of them.
std::uint64_t sum(std::uint64_t value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return value;
}

void expect_sums(const Transport& transport) {
  const TransportCounters& counted = transport.counters();
  expect(sum(counted.messages_sent) == sum(counted.messages_received), transport, "messages do not add up");
  expect(sum(counted.bytes_sent) == sum(counted.bytes_received), transport, "bytes do not add up");
  expect(sum(counted.packets_sent) == sum(counted.packets_received), transport, "packets do not add up");
  expect(sum(counted.packets_lost + counted.packets_repeated) == 0, transport,
         "packets were lost or repeated");
}

/// Lets every rank send every rank, itself too, kEach messages, some of 1 MB, several a turn.
void exchange(Transport& transport) {
  constexpr std::uint64_t kEach = 400;
  constexpr std::uint64_t kLargest = 1 << 20;
  Inbox inbox(transport, kLargest);
  const TimeNs limit_ns = steady_ns() + kLimitNs;
  for (std::uint64_t sent = 0; sent < kEach || !inbox.complete(kEach);) {
    for (std::uint64_t end = std::min(kEach, sent + 7); sent < end; ++sent) {
      for (int to = 0; to < transport.ranks(); ++to) {
        transport.send(to, numbered(transport.rank(), to, sent, kLargest));
      }
    }
    transport.flush();
    inbox.receive();
    if (sent == kEach && !inbox.complete(kEach)) transport.wait_until(steady_ns() + kNsPerS);
    if (steady_ns() > limit_ns) return expect(false, transport, "not all messages arrived");
  }
  expect_sums(transport);
  const TransportCounters& counted = transport.counters();
  expect(counted.packets_sent < counted.messages_sent / 3, transport, "messages are not put together");
}

/// Lets every rank send every rank packets of one message each, many before it looks. Each third message that
/// a rank takes ends its receive() by an exception, as in a run that cannot go on: all others arrive all the
/// same, in order and once.
void refuse(Transport& transport) {
  struct Refused {};
  constexpr std::uint64_t kEach = 400;
  constexpr std::uint64_t kLargest = 1 << 16;
  std::vector<std::uint64_t> next(static_cast<std::size_t>(transport.ranks()));
  std::uint64_t taken = 0;
  const auto take = [&](int from, std::span<const std::byte> message) {
    const Bytes expected = numbered(from, transport.rank(), next[static_cast<std::size_t>(from)]++, kLargest);
    expect(std::equal(message.begin(), message.end(), expected.begin(), expected.end()), transport,
           "another message from rank " + std::to_string(from));
    if (++taken % 3 == 0) throw Refused();
  };
  const TimeNs limit_ns = steady_ns() + kLimitNs;
  const std::uint64_t all = kEach * static_cast<std::uint64_t>(transport.ranks());
  for (std::uint64_t sent = 0; taken < all && steady_ns() < limit_ns;) {
    for (const std::uint64_t end = std::min(kEach, sent + 40); sent < end; ++sent) {
      for (int to = 0; to < transport.ranks(); ++to)
        transport.send(to, numbered(transport.rank(), to, sent, kLargest));
      transport.flush();
    }
    try {
      transport.receive(take);
    } catch (const Refused&) {
      continue;
    }
    if (sent == kEach && taken < all) transport.wait_until(steady_ns() + 10 * kNsPerMs);
  }
  expect(taken == all, transport, "not all messages arrived");
  expect_sums(transport);
}

/// Waits for one message and returns the time at which it came; reports a failure if none comes.
TimeNs await_message(Transport& transport, std::uint64_t& bytes) {
  const TimeNs limit_ns = steady_ns() + kLimitNs;
  bytes = 0;
  while (steady_ns() < limit_ns) {
    const std::size_t count =
        transport.receive([&](int, std::span<const std::byte> message) { bytes = message.size(); });
    if (count > 0) return steady_ns();
    transport.wait_until(limit_ns);
  }
  expect(false, transport, "no message came");
  return limit_ns;
}

/// Lets rank 0 and the last rank answer each other after sleeps; prints the median and the worst time of a
/// round trip.
void round_trips(Transport& transport, std::size_t size, TimeNs pause_ns, int rounds, TimeNs limit_ns) {
  const int last = transport.ranks() - 1;
  const Bytes message(size);
  std::vector<TimeNs> times;
  std::uint64_t bytes = 0;
  for (int round = 0; round < rounds && (transport.rank() == 0 || transport.rank() == last); ++round) {
    if (transport.rank() == last) await_message(transport, bytes);
    for (const TimeNs end_ns = steady_ns() + pause_ns; transport.rank() == 0 && steady_ns() < end_ns;) {
      transport.wait_until(end_ns);
    }
    const TimeNs began_ns = steady_ns();
    transport.send(transport.rank() == 0 ? last : 0, message);
    transport.flush();
    if (transport.rank() == 0) times.push_back(await_message(transport, bytes) - began_ns);
    expect(bytes == size || transport.rank() == last, transport, "another size came back");
  }
  if (times.empty()) return;
  std::sort(times.begin(), times.end());
  std::printf("round trip of %zu bytes: median %.1f us, largest %.1f us\n", size,
              static_cast<double>(times[times.size() / 2]) * 1e-3, static_cast<double>(times.back()) * 1e-3);
  expect(times[times.size() / 2] < limit_ns, transport, "a sleeping rank is not woken");
}

void wake(Transport& transport) {
  round_trips(transport, 100, 5 * kNsPerMs, 100, 20 * kNsPerMs);
  round_trips(transport, 1 << 20, 5 * kNsPerMs, 20, 20 * kNsPerMs);
  const TransportCounters& counted = transport.counters();
  if (transport.rank() == 0) expect(counted.sleeps >= 100, transport, "it does not sleep");
}

/// Expects that nothing wakes rank 0: it asks by itself.
void lost_wakes(Transport& transport) {
  round_trips(transport, 100, 5 * kNsPerMs, 20, 300 * kNsPerMs);
  expect(transport.rank() > 0 || transport.counters().wakes_received == 0, transport, "something woke it");
}

/// Prints how well deadlines are met: the median and the worst overshoot of sleeps of a millisecond and of 40
/// ms.
void deadlines(Transport& transport) {
  for (const TimeNs length_ns : {kNsPerMs, 40 * kNsPerMs}) {
    std::vector<TimeNs> late;
    for (int i = 0; i < 50; ++i) {
      const TimeNs deadline_ns = steady_ns() + length_ns;
      while (steady_ns() < deadline_ns) transport.wait_until(deadline_ns);
      late.push_back(steady_ns() - deadline_ns);
    }
    std::sort(late.begin(), late.end());
    std::printf("sleeps of %.0f ms end late by %.1f us in the median, %.1f us at most\n", ns_to_ms(length_ns),
                static_cast<double>(late[25]) * 1e-3, static_cast<double>(late.back()) * 1e-3);
  }
}

/// Returns the processor time of this process.
TimeNs cpu_ns() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<TimeNs>(used.tv_sec) * kNsPerS + used.tv_nsec;
}

/// Leaves all ranks without work for some seconds; rank 0 prints the processor time that they used together.
void idle(Transport& transport, double seconds) {
  const TimeNs before_ns = cpu_ns();
  const TimeNs end_ns = steady_ns() + s_to_ns(seconds);
  while (steady_ns() < end_ns) {
    transport.receive([](int, std::span<const std::byte>) {});
    transport.flush();
    transport.wait_until(end_ns);
  }
  const double used_s = ns_to_s(static_cast<TimeNs>(sum(static_cast<std::uint64_t>(cpu_ns() - before_ns))));
  const std::uint64_t sleeps = sum(transport.counters().sleeps);
  if (transport.rank() == 0) {
    std::printf("%d idle ranks used %.2f %% of one core, sleeping %.1f times a second each\n",
                transport.ranks(), used_s / seconds * 100,
                static_cast<double>(sleeps) / seconds / transport.ranks());
  }
}

/// Lets rank 0 send 10,000 messages a second to the others in turn, which answer; it prints what each cost.
void load(Transport& transport, double seconds) {
  constexpr TimeNs kPeriodNs = 100 * kNsPerUs;
  const Bytes message(100);
  const TimeNs before_ns = cpu_ns();
  const TimeNs began_ns = steady_ns();
  const TimeNs end_ns = began_ns + s_to_ns(seconds);
  std::vector<TimeNs> flush_ns;
  std::vector<TimeNs> late_ns;
  TimeNs due_ns = transport.rank() == 0 ? began_ns : kNever;
  for (int to = 1; steady_ns() < end_ns;) {
    for (TimeNs now_ns = steady_ns(); due_ns <= now_ns; due_ns += kPeriodNs) {
      late_ns.push_back(now_ns - due_ns);
      transport.send(to, message);
      transport.flush();
      const TimeNs after_ns = steady_ns();
      flush_ns.push_back(after_ns - now_ns);
      now_ns = after_ns;
      to = to + 1 < transport.ranks() ? to + 1 : 1;
    }
    transport.receive([&](int from, std::span<const std::byte> got) {
      if (transport.rank() != 0) transport.send(from, got);
    });
    transport.flush();
    transport.wait_until(std::min(end_ns, due_ns));
  }
  const double used_us = static_cast<double>(cpu_ns() - before_ns) * 1e-3;
  const double all_us = static_cast<double>(sum(static_cast<std::uint64_t>(cpu_ns() - before_ns))) * 1e-3;
  const auto wakes = static_cast<double>(sum(transport.counters().wakes_sent));
  const auto packets = static_cast<double>(sum(transport.counters().packets_sent));
  if (transport.rank() != 0) return;
  std::sort(flush_ns.begin(), flush_ns.end());
  std::sort(late_ns.begin(), late_ns.end());
  const auto us = [](const std::vector<TimeNs>& sorted, double share) {
    return static_cast<double>(
               sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))]) *
           1e-3;
  };
  const auto requests = static_cast<double>(late_ns.size());
  std::printf(
      "%d ranks: overshoot p50 %.1f p99 %.1f us; send p50 %.1f p99 %.1f us; processor time a round trip: "
      "%.1f us at rank 0, %.1f us in all; %.2f wakes a packet\n",
      transport.ranks(), us(late_ns, 0.5), us(late_ns, 0.99), us(flush_ns, 0.5), us(flush_ns, 0.99),
      used_us / requests, all_us / requests, wakes / packets);
}

/// Prints its process id, then sleeps until it is killed.
void hang(Transport& transport) {
  std::printf("rank %d pid %d\n", transport.rank(), static_cast<int>(getpid()));
  std::fflush(stdout);
  const TimeNs end_ns = steady_ns() + kLimitNs;
  while (steady_ns() < end_ns) {
    transport.receive([](int, std::span<const std::byte>) {});
    transport.wait_until(end_ns);
  }
}

/// Lets odd ranks see other GPUs than even ones.
void hide_gpus() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank % 2 == 1) setenv("CUDA_VISIBLE_DEVICES", "7", 1);
}

void compare_gpu_sets(Transport& transport) {
  const std::span<const std::uint64_t> sets = transport.gpu_sets();
  expect(sets.size() == static_cast<std::size_t>(transport.ranks()), transport, "a set for each rank");
  for (std::size_t rank = 0; rank < sets.size(); ++rank)
    expect((sets[rank] == sets[0]) == (rank % 2 == 0), transport,
           "ranks with the same GPUs have the same set");
}

/// Makes a transport whose ranks are woken as told. "deaf": no rank can open a socket, as without a network;
/// "mute": the last rank cannot, so that all its datagrams are lost.
std::unique_ptr<Transport> make_transport(std::string_view by) {
  if (by == "memory") return make_mpi_transport(WakeBy::kMemory);
  if (by == "polling") return make_mpi_transport(WakeBy::kPolling);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  rlimit usual{};
  getrlimit(RLIMIT_NOFILE, &usual);
  const rlimit none{3, usual.rlim_max};
  if (by == "deaf" || (by == "mute" && rank == ranks - 1)) setrlimit(RLIMIT_NOFILE, &none);
  auto transport = make_mpi_transport(WakeBy::kSocket);
  setrlimit(RLIMIT_NOFILE, &usual);
  return transport;
}

void run(const std::string& by, const std::string& mode, double seconds) {
  if (mode == "gpus") hide_gpus();
  const auto transport = make_transport(by);
  if (mode == "gpus") compare_gpu_sets(*transport);
  if (mode == "exchange") exchange(*transport);
  if (mode == "refuse") refuse(*transport);
  if (mode == "wake") wake(*transport);
  if (mode == "lost-wakes") lost_wakes(*transport);
  if (mode == "deadlines") deadlines(*transport);
  if (mode == "idle") idle(*transport, seconds);
  if (mode == "load") load(*transport, seconds);
  if (mode == "hang") hang(*transport);
}

}  // namespace
}  // namespace harness

int main(int count, char** arguments) {
  setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
  setenv("OMPI_MCA_pml_ob1_send_pipeline_depth", "64", 0);  // as in ranks/cell_distribution.cc
  MPI_Init(nullptr, nullptr);
  harness::set_timer_slack();
  if (count > 2) harness::run(arguments[1], arguments[2], count > 3 ? std::atof(arguments[3]) : 10);
  MPI_Finalize();
  return harness::failures == 0 ? 0 : 1;
}

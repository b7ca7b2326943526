#include "harness/live/transport/test_transport.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

namespace harness {
namespace {

struct Numbered {
  int from;
  int to;
  std::uint64_t number;
};

void send(Transport& transport, int to, std::uint64_t number) {
  const Numbered message{transport.rank(), to, number};
  transport.send(to, std::as_bytes(std::span(&message, 1)));
}

std::vector<Numbered> received(Transport& transport) {
  std::vector<Numbered> messages;
  transport.receive([&](int from, std::span<const std::byte> bytes) {
    Numbered message{};
    ASSERT_EQ(bytes.size(), sizeof message);
    std::memcpy(&message, bytes.data(), sizeof message);
    ASSERT_EQ(message.from, from);
    ASSERT_EQ(message.to, transport.rank());
    messages.push_back(message);
  });
  return messages;
}

/// A run in which rank 0 sends rank 1 `count` packets of one message each, a microsecond apart. Keeps the
/// numbers that arrive, in order.
struct OneWay {
  explicit OneWay(const TestFaults& faults, std::uint64_t count = 2000)
      : network(2, faults, [this] { return now_ns; }) {
    for (std::uint64_t i = 0; i < count; ++i, now_ns += kNsPerUs) {
      send(network.at(0), 1, i);
      network.at(0).flush();
      take();
    }
    for (; network.next_arrival_ns() != kNever; now_ns = network.next_arrival_ns()) take();
  }
  void take() {
    for (const Numbered& message : received(network.at(1))) numbers.push_back(message.number);
  }
  const TransportCounters& counters() { return network.at(1).counters(); }

  TimeNs now_ns = 0;
  TestNetwork network;
  std::vector<std::uint64_t> numbers;
};

void expect_rising(const std::vector<std::uint64_t>& numbers, std::uint64_t least_step) {
  for (std::size_t i = 1; i < numbers.size(); ++i) ASSERT_GE(numbers[i], numbers[i - 1] + least_step);
}

TEST(TestTransport, WithoutFaultsEverythingArrivesInOrder) {
  OneWay way({});
  EXPECT_EQ(way.numbers.size(), 2000u);
  expect_rising(way.numbers, 1);
  EXPECT_EQ(way.counters().packets_lost + way.counters().packets_repeated, 0u);
}

TEST(TestTransport, LosesAsToldAndTheReceiverCounts) {
  OneWay way({.lose = 0.25});
  EXPECT_EQ(way.numbers.size() + way.network.lost(), 2000u);
  EXPECT_NEAR(static_cast<double>(way.network.lost()), 500, 100);
  expect_rising(way.numbers, 1);
  // Packets lost after the last one that arrived are not noticed yet.
  EXPECT_EQ(way.counters().packets_lost, way.numbers.back() + 1 - way.numbers.size());
}

TEST(TestTransport, RepeatedPacketsAreDiscarded) {
  OneWay way({.repeat = 0.25, .delay_ns = kNsPerMs});
  EXPECT_EQ(way.numbers.size(), 2000u);
  expect_rising(way.numbers, 1);
  EXPECT_NEAR(static_cast<double>(way.network.repeated()), 500, 100);
  EXPECT_EQ(way.counters().packets_repeated, way.network.repeated());
}

TEST(TestTransport, RepeatedPacketsAreHandedOverOnRequest) {
  OneWay way({.repeat = 0.25, .hand_over = true});
  EXPECT_EQ(way.numbers.size(), 2000u + way.network.repeated());
  expect_rising(way.numbers, 0);
}

TEST(TestTransport, DelayedPacketsOfAPairStayInOrder) {
  OneWay way({.delay_ns = kNsPerMs, .jitter_ns = 5 * kNsPerMs});
  EXPECT_EQ(way.numbers.size(), 2000u);
  expect_rising(way.numbers, 1);
  EXPECT_GE(way.now_ns, 2 * kNsPerMs);
  EXPECT_EQ(way.counters().packets_lost, 0u);
}

TEST(TestTransport, DelayedPacketsOfOtherPairsOvertake) {
  TimeNs now_ns = 0;
  TestNetwork network(3, {.jitter_ns = kNsPerMs}, [&] { return now_ns; });
  int overtaken = 0;
  for (std::uint64_t i = 0; i < 200; ++i, now_ns += kNsPerS) {
    for (const int from : {0, 1}) {
      send(network.at(from), 2, i);
      network.at(from).flush();
    }
    now_ns += kNsPerMs;
    const std::vector<Numbered> both = received(network.at(2));
    ASSERT_EQ(both.size(), 2u);
    overtaken += both[0].from == 1 ? 1 : 0;
  }
  EXPECT_NEAR(overtaken, 100, 40);
}

TEST(TestTransport, NothingArrivesBeforeItsDelay) {
  TimeNs now_ns = 0;
  TestNetwork network(2, {.delay_ns = 1000}, [&] { return now_ns; });
  send(network.at(0), 1, 0);
  send(network.at(1), 1, 1);  // to itself: no delay, yet after a flush only
  EXPECT_TRUE(received(network.at(1)).empty());
  network.at(0).flush();
  network.at(1).flush();
  EXPECT_EQ(received(network.at(1)).size(), 1u);
  EXPECT_EQ(network.next_arrival_ns(), 1000);
  now_ns = 999;
  EXPECT_TRUE(received(network.at(1)).empty());
  now_ns = 1000;
  EXPECT_EQ(received(network.at(1)).size(), 1u);
  EXPECT_EQ(network.next_arrival_ns(), kNever);
}

TEST(TestTransport, SingleMessagesAreLostAndRepeatedAsTold) {
  TestFaults faults;
  faults.copies = [](int from, int, std::span<const std::byte> message) {
    Numbered numbered{};
    std::memcpy(&numbered, message.data(), sizeof numbered);
    EXPECT_EQ(from, numbered.from);
    return static_cast<int>(numbered.number % 3);
  };
  OneWay way(faults, 6);
  EXPECT_EQ(way.numbers, (std::vector<std::uint64_t>{1, 2, 2, 4, 5, 5}));
  EXPECT_EQ(way.counters().packets_lost + way.counters().packets_repeated, 0u);
}

TEST(TestTransport, CarriesBetweenThreadsThatSleep) {
  constexpr int kRanks = 4;
  constexpr std::uint64_t kEach = 300;
  TestNetwork network(kRanks, {.delay_ns = 20 * kNsPerUs, .jitter_ns = 200 * kNsPerUs});
  const TimeNs limit_ns = steady_ns() + 60 * kNsPerS;
  std::atomic<int> failed = 0;
  std::atomic<int> finished = 0;
  const auto loop = [&](int rank) {
    Transport& transport = network.at(rank);
    std::vector<std::uint64_t> next(kRanks);
    std::size_t count = 0;
    for (std::uint64_t turn = 0; finished < kRanks && steady_ns() < limit_ns; ++turn) {
      for (int to = 0; to < kRanks && turn < kEach; ++to) send(transport, to, turn);
      transport.flush();
      for (const Numbered& message : received(transport)) {
        ++count;
        if (message.number != next[static_cast<std::size_t>(message.from)]++) ++failed;
        if (count == kRanks * kEach) ++finished;
      }
      transport.wait_until(steady_ns() + (turn < kEach ? 0 : 5 * kNsPerMs));
    }
  };
  std::vector<std::thread> threads;
  for (int rank = 0; rank < kRanks; ++rank) threads.emplace_back(loop, rank);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(finished, kRanks);
  EXPECT_EQ(failed, 0);
}

}  // namespace
}  // namespace harness

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "harness/core/environment_error.h"
#include "harness/live/transport/local_transport.h"
#include "harness/live/transport/transport.h"
#include "harness/machine/steady_clock.h"
#include "harness/machine/timer_slack.h"

namespace harness {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<std::string> received_texts(Transport& transport) {
  std::vector<std::string> texts;
  const std::size_t count = transport.receive([&](int from, std::span<const std::byte> message) {
    EXPECT_EQ(from, 0);
    texts.push_back(text_of(message));
  });
  EXPECT_EQ(count, texts.size());
  return texts;
}

TEST(LocalTransport, DeliversInOrderAfterAFlush) {
  const auto transport = make_local_transport();
  EXPECT_EQ(transport->rank(), 0);
  EXPECT_EQ(transport->ranks(), 1);
  transport->send(0, bytes_of("one"));
  transport->send(0, bytes_of(""));
  EXPECT_TRUE(received_texts(*transport).empty());
  transport->flush();
  transport->send(0, bytes_of("later"));
  EXPECT_EQ(received_texts(*transport), (std::vector<std::string>{"one", ""}));
  EXPECT_TRUE(received_texts(*transport).empty());
  transport->flush();
  EXPECT_EQ(received_texts(*transport), std::vector<std::string>{"later"});
  EXPECT_EQ(transport->counters().messages_sent, 3u);
  EXPECT_EQ(transport->counters().messages_received, 3u);
  EXPECT_EQ(transport->counters().bytes_sent, 8u);
  EXPECT_EQ(transport->counters().bytes_received, 8u);
  EXPECT_EQ(transport->counters().packets_sent, 0u);
}

TEST(LocalTransport, WhatIsSentWhileReceivingComesNextTime) {
  const auto transport = make_local_transport();
  transport->send(0, bytes_of("a"));
  transport->flush();
  for (int turn = 0; turn < 100; ++turn) {
    const std::size_t count = transport->receive([&](int, std::span<const std::byte> message) {
      transport->send(0, bytes_of(text_of(message) + "a"));
      transport->flush();
    });
    ASSERT_EQ(count, 1u);
  }
  EXPECT_EQ(received_texts(*transport), std::vector<std::string>{std::string(101, 'a')});
}

TEST(LocalTransport, ThePacketsBehindOneWhoseMessageIsRefusedComeNext) {
  for (std::size_t refused = 0; refused < 4; ++refused) {
    SCOPED_TRACE(refused);
    const auto transport = make_local_transport();
    std::vector<std::string> expected;
    for (std::size_t packet = 0; packet < 4; ++packet) {
      transport->send(0, bytes_of(std::to_string(packet)));
      transport->flush();
      if (packet > refused) expected.push_back(std::to_string(packet));
    }
    const auto refuse = [&](int, std::span<const std::byte> message) {
      if (text_of(message) == std::to_string(refused)) throw EnvironmentError("refused");
    };
    EXPECT_THROW(transport->receive(refuse), EnvironmentError);
    EXPECT_EQ(received_texts(*transport), expected);
    EXPECT_TRUE(received_texts(*transport).empty());
    EXPECT_EQ(transport->counters().messages_received, 4u);
  }
}

TEST(LocalTransport, SleepsUntilTheDeadlineAndNotBefore) {
  const auto transport = make_local_transport();
  const TimeNs deadline_ns = steady_ns() + 250 * kNsPerMs;
  int turns = 0;
  for (; steady_ns() < deadline_ns; ++turns) transport->wait_until(deadline_ns);
  EXPECT_LE(turns, 20);  // it sleeps, rather than spin
  EXPECT_EQ(transport->counters().sleeps, static_cast<std::uint64_t>(turns));
}

TEST(LocalTransport, DoesNotSleepOnAMessageOrPastADeadline) {
  const auto transport = make_local_transport();
  transport->wait_until(steady_ns() - kNsPerS);
  transport->send(0, bytes_of("a"));
  transport->flush();
  transport->wait_until(kNever);
  EXPECT_EQ(transport->counters().sleeps, 0u);
}

TEST(TimerSlack, IsOneNanosecond) {
  ASSERT_TRUE(set_timer_slack());
  EXPECT_EQ(timer_slack_ns(), 1);
}

TEST(LocalTransport, AnInterruptEndsTheSleepUnderWayOrTheNextOne) {
  const auto transport = make_local_transport();
  TimeNs shortest_ns = kNever;  // a busy machine may stop in some of the rounds
  for (int i = 0; i < 10; ++i) {
    const TimeNs began_ns = steady_ns();
    transport->interrupt();
    transport->wait_until(began_ns + 10 * kNsPerS);
    shortest_ns = std::min(shortest_ns, steady_ns() - began_ns);
  }
  EXPECT_LT(shortest_ns, 50 * kNsPerMs);
}

/// Returns how many of 2,000 sleeps an interrupt did not end; many of them end the count.
int long_sleeps_of(Transport& transport) {
  // Each round sleeps until the other thread has seen the round before; a lost interrupt would cost 100 ms.
  constexpr int kRounds = 2000;
  constexpr int kMany = 50;
  std::atomic<int> asked{0};
  std::atomic<int> answered{0};
  std::thread other([&] {
    for (int round = 1; round <= kRounds; ++round) {
      while (asked.load() < round) std::this_thread::yield();
      answered.store(round);
      transport.interrupt();
    }
  });
  int long_sleeps = 0;
  for (int round = 1; round <= kRounds && long_sleeps < kMany; ++round) {
    asked.store(round);
    while (answered.load() < round) {
      const TimeNs asleep_ns = steady_ns();
      transport.wait_until(asleep_ns + 10 * kNsPerS);
      if (steady_ns() - asleep_ns > 90 * kNsPerMs) ++long_sleeps;
    }
  }
  asked.store(kRounds);
  other.join();
  return long_sleeps;
}

TEST(LocalTransport, NoInterruptIsLost) {
  const auto transport = make_local_transport();
  int fewest = long_sleeps_of(*transport);  // a thread may wait for a core
  for (int trial = 1; trial < 5 && fewest > 2; ++trial) fewest = std::min(fewest, long_sleeps_of(*transport));
  EXPECT_LE(fewest, 2);
}

}  // namespace
}  // namespace harness

#include "harness/live/transport/wake_socket.h"

#include <gtest/gtest.h>

#include <thread>
#include <utility>
#include <vector>

#include "harness/machine/steady_clock.h"

namespace harness {
namespace {

using Wakes = std::vector<std::pair<int, std::uint64_t>>;

Wakes drained(const WakeSocket& socket) {
  Wakes wakes;
  socket.drain([&](int from, std::uint64_t packets) { wakes.emplace_back(from, packets); });
  return wakes;
}

TEST(WakeSocket, WakesASleeper) {
  WakeSocket sender(3, 42, true);
  WakeSocket sleeper(0, 42, true);
  ASSERT_NE(sleeper.address().port, 0);
  std::thread thread([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_TRUE(sender.wake(sleeper.address(), 7));
    EXPECT_TRUE(sender.wake(sleeper.address(), 8));
  });
  EXPECT_EQ(sleeper.sleep(kNever, 60 * kNsPerS), WakeSocket::Woken::kByDatagram);
  thread.join();
  EXPECT_EQ(drained(sleeper), (Wakes{{3, 7}, {3, 8}}));
  EXPECT_TRUE(drained(sleeper).empty());
}

TEST(WakeSocket, ReachesOverTheNetworkToo) {
  WakeSocket sender(1, 42, false);
  WakeSocket sleeper(0, 42, false);
  if (sleeper.address().port == 0) GTEST_SKIP() << "this host has no network";
  WakeSocket::Address elsewhere = sleeper.address();
  ++elsewhere.host;
  for (const WakeSocket::Address& address : {sleeper.address(), elsewhere}) {
    EXPECT_TRUE(sender.wake(address, 5));
    EXPECT_EQ(sleeper.sleep(kNever, 60 * kNsPerS), WakeSocket::Woken::kByDatagram);
    EXPECT_EQ(drained(sleeper), (Wakes{{1, 5}}));
  }
}

TEST(WakeSocket, IgnoresOtherJobs) {
  WakeSocket stranger(1, 41, true);
  WakeSocket sleeper(0, 42, true);
  EXPECT_TRUE(stranger.wake(sleeper.address(), 1));
  EXPECT_EQ(sleeper.sleep(kNever, 60 * kNsPerS), WakeSocket::Woken::kByDatagram);
  EXPECT_TRUE(drained(sleeper).empty());
}

TEST(WakeSocket, SleepsUntilTheDeadlineAndNotBefore) {
  WakeSocket sleeper(0, 42, true);
  for (const TimeNs length_ns : {kNsPerMs, 30 * kNsPerMs, TimeNs{0}, 2 * kNsPerMs}) {
    const TimeNs deadline_ns = steady_ns() + length_ns;
    EXPECT_EQ(sleeper.sleep(deadline_ns, kNsPerS), WakeSocket::Woken::kByDeadline);
    EXPECT_GE(steady_ns(), deadline_ns);
  }
}

TEST(WakeSocket, SleepsNoLongerThanTold) {
  WakeSocket sleeper(0, 42, true);
  const TimeNs began_ns = steady_ns();
  EXPECT_EQ(sleeper.sleep(began_ns + kNsPerS, 2 * kNsPerMs), WakeSocket::Woken::kEarly);
  EXPECT_GE(steady_ns() - began_ns, 2 * kNsPerMs);
  // A deadline that has passed does not end later sleeps.
  EXPECT_EQ(sleeper.sleep(steady_ns() + kNsPerMs, kNsPerS), WakeSocket::Woken::kByDeadline);
  const TimeNs again_ns = steady_ns();
  EXPECT_EQ(sleeper.sleep(kNever, 2 * kNsPerMs), WakeSocket::Woken::kEarly);
  EXPECT_GE(steady_ns() - again_ns, 2 * kNsPerMs);
}

TEST(WakeSocket, WhoCannotBeWokenIsNotSentTo) {
  const WakeSocket sender(0, 42, true);
  EXPECT_FALSE(sender.wake(WakeSocket::Address{}, 1));
}

TEST(WakeSocket, TokensDiffer) { EXPECT_NE(random_token(), random_token()); }

}  // namespace
}  // namespace harness

#include "harness/live/transport/wake_board.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "harness/machine/steady_clock.h"

namespace harness {
namespace {

/// The memory and the boards of ranks, of which the ranks from `here` on are on another host.
struct Host {
  explicit Host(int ranks, int here)
      : memory(WakeBoard::bytes(ranks) * static_cast<std::size_t>(ranks) / 64) {
    std::vector<void*> parts(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < here; ++rank) {
      parts[static_cast<std::size_t>(rank)] =
          memory.data() + static_cast<std::size_t>(rank) * WakeBoard::bytes(ranks) / 64;
    }
    for (int rank = 0; rank < here; ++rank) boards.emplace_back(rank, parts);
  }
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::vector<Line> memory;
  std::vector<WakeBoard> boards;
};

std::uint64_t numbered(int from, int to) {
  return static_cast<std::uint64_t>(from) * 10 + static_cast<std::uint64_t>(to);
}

TEST(WakeBoard, KnowsWhoIsOnThisHost) {
  const Host host(11, 9);
  for (int rank = 0; rank < 11; ++rank) EXPECT_EQ(host.boards[3].covers(rank), rank < 9);
  EXPECT_FALSE(host.boards[3].covers_all());
  EXPECT_TRUE(Host(3, 3).boards[1].covers_all());
}

TEST(WakeBoard, KeepsThePacketsOfEachSender) {
  const Host host(9, 9);
  for (int from = 0; from < 9; ++from) {
    for (int to = 0; to < 9; ++to) {
      host.boards[static_cast<std::size_t>(from)].announce(to, numbered(from, to));
    }
  }
  for (int from = 0; from < 9; ++from) {
    for (int to = 0; to < 9; ++to) {
      EXPECT_EQ(host.boards[static_cast<std::size_t>(to)].announced(from), numbered(from, to));
    }
  }
}

TEST(WakeBoard, OneSenderIsToldToWakeASleeper) {
  const Host host(3, 3);
  EXPECT_FALSE(host.boards[1].announce(0, 1));  // it is awake
  host.boards[0].lie_down();
  EXPECT_TRUE(host.boards[1].announce(0, 2));
  EXPECT_FALSE(host.boards[2].announce(0, 1));
  EXPECT_FALSE(host.boards[1].announce(0, 3));
  EXPECT_TRUE(host.boards[0].get_up());
  host.boards[0].lie_down();
  EXPECT_FALSE(host.boards[0].get_up());
  EXPECT_FALSE(host.boards[1].announce(0, 4));
}

TEST(WakeBoard, SleepsUntilTheDeadlineAndNotBefore) {
  const Host host(2, 2);
  const TimeNs deadline_ns = steady_ns() + 20 * kNsPerMs;
  host.boards[0].lie_down();
  while (steady_ns() < deadline_ns) host.boards[0].sleep(deadline_ns);
  EXPECT_FALSE(host.boards[0].get_up());
}

TEST(WakeBoard, DoesNotSleepOnceSomebodyIsToldToWakeIt) {
  const Host host(2, 2);
  host.boards[0].lie_down();
  EXPECT_TRUE(host.boards[1].announce(0, 1));
  const TimeNs began_ns = steady_ns();
  host.boards[0].sleep(began_ns + 30 * kNsPerS);  // before the other's rouse()
  EXPECT_LT(steady_ns() - began_ns, 20 * kNsPerS);
  EXPECT_TRUE(host.boards[0].get_up());
}

TEST(WakeBoard, NoAnnouncementIsSleptOver) {
  constexpr std::uint64_t kEach = 20'000;
  const Host host(3, 3);
  const TimeNs limit_ns = steady_ns() + 60 * kNsPerS;
  std::atomic<int> overslept = 0;
  // Each of two ranks answers the other's count with the next; a third disturbs them.
  const auto answer = [&](int self) {
    const WakeBoard& board = host.boards[static_cast<std::size_t>(self)];
    const int other = 1 - self;
    std::uint64_t sent = 0;
    for (std::uint64_t heard = 0; heard < kEach && overslept == 0;) {
      if (self == 0 && sent == heard && board.announce(other, ++sent)) board.rouse(other);
      board.lie_down();
      if (board.announced(other) == heard) board.sleep(limit_ns);
      board.get_up();
      if (steady_ns() >= limit_ns) ++overslept;
      if (board.announced(other) == heard) continue;
      ++heard;
      if (self == 1 && board.announce(other, ++sent)) board.rouse(other);
    }
  };
  std::atomic<bool> done = false;
  std::thread third([&] {
    for (std::uint64_t sent = 1; !done; ++sent) {
      for (const int to : {0, 1}) {
        if (host.boards[2].announce(to, sent)) host.boards[2].rouse(to);
      }
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  });
  std::thread first(answer, 0);
  std::thread second(answer, 1);
  first.join();
  second.join();
  done = true;
  third.join();
  EXPECT_EQ(overslept, 0);
}

}  // namespace
}  // namespace harness

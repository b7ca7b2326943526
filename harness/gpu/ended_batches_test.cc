#include "harness/gpu/ended_batches.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <thread>

namespace harness {
namespace {

BatchEnd end_of(std::uint64_t tag) {
  BatchEnd end;
  end.tag = tag;
  end.failure = "batch " + std::to_string(tag);
  return end;
}

TEST(EndedBatches, ComeInOrderBehindWhatIsThere) {
  EndedBatches queue(nullptr);
  std::vector<BatchEnd> ended;
  EXPECT_FALSE(queue.take(ended));
  queue.push(end_of(3));
  EXPECT_TRUE(queue.take(ended));
  queue.push(end_of(1));
  queue.push(end_of(2));
  EXPECT_TRUE(queue.take(ended));
  EXPECT_FALSE(queue.take(ended));
  ASSERT_EQ(ended.size(), 3U);
  EXPECT_EQ(ended[0].failure, "batch 3");
  EXPECT_EQ(ended[1].failure, "batch 1");
  EXPECT_EQ(ended[2].failure, "batch 2");
}

TEST(EndedBatches, WakesOnceForAllThatIsTakenTogether) {
  int wakes = 0;
  EndedBatches queue([&] { ++wakes; });
  std::vector<BatchEnd> ended;
  queue.push(end_of(1));
  queue.push(end_of(2));
  EXPECT_EQ(wakes, 1);
  queue.take(ended);
  EXPECT_EQ(wakes, 1);
  queue.push(end_of(3));
  EXPECT_EQ(wakes, 2);  // what is not taken is dropped with the queue
}

/// The taker sleeps until it is woken, so a wake-up too few would stop it for good.
TEST(EndedBatches, LosesNothingOfManyThreads) {
  constexpr std::uint64_t kThreads = 4;
  constexpr std::uint64_t kEach = 5000;
  std::mutex mutex;
  std::condition_variable changed;
  bool woken = false;
  EndedBatches queue([&] {
    const std::lock_guard lock(mutex);
    woken = true;
    changed.notify_one();
  });
  std::vector<std::thread> threads;
  for (std::uint64_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&queue, thread] {
      for (std::uint64_t i = 0; i < kEach; ++i) queue.push(end_of(thread * kEach + i));
    });
  }
  std::vector<BatchEnd> ended;
  while (ended.size() < kThreads * kEach) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return woken; });
    woken = false;
    lock.unlock();
    queue.take(ended);
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(queue.take(ended));
  std::vector<std::uint64_t> next(kThreads, 0);
  for (const BatchEnd& end : ended) {
    const std::uint64_t thread = end.tag / kEach;
    ASSERT_EQ(end.tag % kEach, next[thread]++);
    ASSERT_EQ(end.failure, "batch " + std::to_string(end.tag));
  }
  EXPECT_EQ(next, std::vector<std::uint64_t>(kThreads, kEach));
}

}  // namespace
}  // namespace harness

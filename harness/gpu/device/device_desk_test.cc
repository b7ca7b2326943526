#include "harness/gpu/device/device_desk.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <thread>

namespace harness {
namespace {

const std::vector<std::uint8_t> kPixels(3 * 2 * 5);
const std::vector<Image> kImages = {{kPixels, 2, 5}};

BatchEnd end_of(std::uint64_t tag) {
  BatchEnd end;
  end.tag = tag;
  end.failure = "batch " + std::to_string(tag);
  return end;
}

TEST(DeviceDesk, NamesTheFileOfAModelThatHasOne) {
  DeviceDesk desk("cpu", nullptr);
  ModelSource source;
  source.model = "mine";
  source.file = "models/mine.pt";
  const DeviceModel model = desk.add(source, 0);
  EXPECT_EQ(desk.place(model, 4).model, "mine of models/mine.pt");
  EXPECT_EQ(desk.place(model, 4).batch, 4);
  source.model.clear();
  EXPECT_EQ(desk.place(source).model, "of models/mine.pt");
}

TEST(DeviceDesk, TakesImagesOfDifferingSizes) {
  DeviceDesk desk("cpu", nullptr);
  ModelSource source;
  source.max_batch = 2;
  const DeviceModel model = desk.add(source, 0);
  const std::vector<Image> images = {{kPixels, 2, 5}, {std::span(kPixels).first(9), 3, 1}};
  desk.admit(1, model, images);
  EXPECT_THROW(desk.admit(2, model, std::vector<Image>{{kPixels, 5, 5}}), DeviceError);
}

TEST(DeviceDesk, AnswersForNoMoreThanTwoAtOnce) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  DeviceDesk desk("cpu", nullptr);
  const DeviceModel model = desk.add({}, 0);
  desk.admit(1, model, kImages);
  EXPECT_DEATH(desk.admit(1, model, kImages), "two batches of one tag");
  desk.admit(2, model, kImages);
  EXPECT_DEATH(desk.admit(3, model, kImages), "too many batches");
  desk.push(end_of(1));
  std::vector<BatchEnd> ended;
  EXPECT_TRUE(desk.take(ended));
  EXPECT_FALSE(desk.take(ended));
  desk.admit(3, model, kImages);
}

TEST(DeviceDesk, GivesEndsInOrderBehindWhatIsThere) {
  DeviceDesk desk("cpu", nullptr);
  std::vector<BatchEnd> ended;
  EXPECT_FALSE(desk.take(ended));
  desk.push(end_of(3));
  EXPECT_TRUE(desk.take(ended));
  desk.push(end_of(1));
  desk.push(end_of(2));
  EXPECT_TRUE(desk.take(ended));
  EXPECT_FALSE(desk.take(ended));
  ASSERT_EQ(ended.size(), 3U);
  EXPECT_EQ(ended[0].failure, "batch 3");
  EXPECT_EQ(ended[1].failure, "batch 1");
  EXPECT_EQ(ended[2].failure, "batch 2");
}

TEST(DeviceDesk, WakesOnceForAllThatIsTakenTogether) {
  int wakes = 0;
  DeviceDesk desk("cpu", [&] { ++wakes; });
  std::vector<BatchEnd> ended;
  desk.push(end_of(1));
  desk.push(end_of(2));
  EXPECT_EQ(wakes, 1);
  desk.take(ended);
  EXPECT_EQ(wakes, 1);
  desk.push(end_of(3));
  EXPECT_EQ(wakes, 2);  // ends that are not taken are dropped with the desk
}

/// The taker sleeps until it is woken, so a wake-up too few would stop it for good.
TEST(DeviceDesk, LosesNothingOfManyThreads) {
  constexpr std::uint64_t kThreads = 4;
  constexpr std::uint64_t kEach = 5000;
  std::mutex mutex;
  std::condition_variable changed;
  bool woken = false;
  DeviceDesk desk("cpu", [&] {
    const std::lock_guard lock(mutex);
    woken = true;
    changed.notify_one();
  });
  std::vector<std::thread> threads;
  for (std::uint64_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&desk, thread] {
      for (std::uint64_t i = 0; i < kEach; ++i) desk.push(end_of(thread * kEach + i));
    });
  }
  std::vector<BatchEnd> ended;
  while (ended.size() < kThreads * kEach) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return woken; });
    woken = false;
    lock.unlock();
    desk.take(ended);
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(desk.take(ended));
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

#include "harness/gpu/device/device_front_end.h"

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

TEST(DeviceFrontEnd, NamesTheFileOfAModelThatHasOne) {
  DeviceFrontEnd front_end("cpu", nullptr);
  ModelSource source;
  source.model = "mine";
  source.file = "models/mine.pt";
  const DeviceModel model = front_end.add(source, 0);
  EXPECT_EQ(front_end.place(model, 4).model, "mine of models/mine.pt");
  EXPECT_EQ(front_end.place(model, 4).batch, 4);
  source.model.clear();
  EXPECT_EQ(front_end.place(source).model, "of models/mine.pt");
}

TEST(DeviceFrontEnd, TakesImagesOfDifferingSizes) {
  DeviceFrontEnd front_end("cpu", nullptr);
  ModelSource source;
  source.max_batch = 2;
  const DeviceModel model = front_end.add(source, 0);
  const std::vector<Image> images = {{kPixels, 2, 5}, {std::span(kPixels).first(9), 3, 1}};
  front_end.admit(1, model, images);
  EXPECT_THROW(front_end.admit(2, model, std::vector<Image>{{kPixels, 5, 5}}), DeviceError);
}

TEST(DeviceFrontEnd, AnswersForNoMoreThanTwoAtOnce) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  DeviceFrontEnd front_end("cpu", nullptr);
  const DeviceModel model = front_end.add({}, 0);
  front_end.admit(1, model, kImages);
  EXPECT_DEATH(front_end.admit(1, model, kImages), "two batches of one tag");
  front_end.admit(2, model, kImages);
  EXPECT_DEATH(front_end.admit(3, model, kImages), "too many batches");
  front_end.push(end_of(1));
  std::vector<BatchEnd> ended;
  EXPECT_TRUE(front_end.take(ended));
  EXPECT_FALSE(front_end.take(ended));
  front_end.admit(3, model, kImages);
}

TEST(DeviceFrontEnd, GivesEndsInOrderBehindWhatIsThere) {
  DeviceFrontEnd front_end("cpu", nullptr);
  std::vector<BatchEnd> ended;
  EXPECT_FALSE(front_end.take(ended));
  front_end.push(end_of(3));
  EXPECT_TRUE(front_end.take(ended));
  front_end.push(end_of(1));
  front_end.push(end_of(2));
  EXPECT_TRUE(front_end.take(ended));
  EXPECT_FALSE(front_end.take(ended));
  ASSERT_EQ(ended.size(), 3U);
  EXPECT_EQ(ended[0].failure, "batch 3");
  EXPECT_EQ(ended[1].failure, "batch 1");
  EXPECT_EQ(ended[2].failure, "batch 2");
}

TEST(DeviceFrontEnd, WakesOnceForAllThatIsTakenTogether) {
  int wakes = 0;
  DeviceFrontEnd front_end("cpu", [&] { ++wakes; });
  std::vector<BatchEnd> ended;
  front_end.push(end_of(1));
  front_end.push(end_of(2));
  EXPECT_EQ(wakes, 1);
  front_end.take(ended);
  EXPECT_EQ(wakes, 1);
  front_end.push(end_of(3));
  EXPECT_EQ(wakes, 2);  // ends that are not taken are dropped with it
}

/// The taker sleeps until it is woken, so a wake-up too few would stop it for good.
TEST(DeviceFrontEnd, LosesNothingOfManyThreads) {
  constexpr std::uint64_t kThreads = 4;
  constexpr std::uint64_t kEach = 5000;
  std::mutex mutex;
  std::condition_variable changed;
  bool woken = false;
  DeviceFrontEnd front_end("cpu", [&] {
    const std::lock_guard lock(mutex);
    woken = true;
    changed.notify_one();
  });
  std::vector<std::thread> threads;
  for (std::uint64_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&front_end, thread] {
      for (std::uint64_t i = 0; i < kEach; ++i) front_end.push(end_of(thread * kEach + i));
    });
  }
  std::vector<BatchEnd> ended;
  while (ended.size() < kThreads * kEach) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return woken; });
    woken = false;
    lock.unlock();
    front_end.take(ended);
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(front_end.take(ended));
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

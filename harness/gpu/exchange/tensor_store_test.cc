#include "harness/gpu/exchange/tensor_store.h"
#include "harness/gpu/exchange/stored_tensor.h"
#include "harness/gpu/exchange/tensor_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "harness/core/random_stream.h"

namespace harness {
namespace {

StoredTensor tensor_of(std::size_t bytes, std::byte fill, std::weak_ptr<void>* watch = nullptr) {
  HostTensorMemory memory;
  StoredTensor tensor = memory.allocate(bytes);
  std::ranges::fill(tensor.span(), fill);
  if (watch != nullptr) *watch = tensor.owner;
  return tensor;
}

TEST(TensorStore, LetsGoWithTheLastReference) {
  std::vector<std::size_t> freed;
  TensorStore store(100, [&](std::size_t bytes) { freed.push_back(bytes); });
  std::weak_ptr<void> memory;
  const TensorHandle handle = store.put(tensor_of(40, std::byte{7}, &memory));
  ASSERT_NE(handle, kNoTensor);
  store.share(handle, 2);
  store.drop(handle);
  store.drop(handle);
  EXPECT_FALSE(memory.expired());
  EXPECT_EQ(store.at(handle).data[39], std::byte{7});
  EXPECT_TRUE(freed.empty());
  store.drop(handle);
  EXPECT_TRUE(memory.expired());
  EXPECT_EQ(freed, (std::vector<std::size_t>{40}));
  EXPECT_EQ(store.tensors(), 0U);
  EXPECT_EQ(store.used_bytes(), 0U);
}

TEST(TensorStore, WhatIsTakenOutlivesTheStore) {
  TensorStore store;
  std::weak_ptr<void> memory;
  const TensorHandle handle = store.put(tensor_of(8, std::byte{3}, &memory), 2);
  StoredTensor taken = store.take(handle);
  store.drop(handle);
  EXPECT_EQ(store.tensors(), 0U);
  EXPECT_EQ(taken.span()[7], std::byte{3});
  EXPECT_FALSE(memory.expired());
  taken = {};
  EXPECT_TRUE(memory.expired());
}

TEST(TensorStore, RefusesWhatExceedsTheBudget) {
  TensorStore store(100);
  const TensorHandle first = store.put(tensor_of(60, std::byte{1}));
  std::weak_ptr<void> refused;
  EXPECT_EQ(store.put(tensor_of(41, std::byte{2}, &refused)), kNoTensor);
  EXPECT_TRUE(refused.expired());
  EXPECT_EQ(store.used_bytes(), 60U);
  EXPECT_NE(store.put(tensor_of(40, std::byte{2})), kNoTensor);
  store.drop(first);
  EXPECT_NE(store.put(tensor_of(60, std::byte{3})), kNoTensor);
  EXPECT_EQ(store.used_bytes(), 100U);
}

TEST(TensorStoreDeathTest, AHandleDoesNotOutliveItsTensor) {
  TensorStore store;
  const TensorHandle old = store.put(tensor_of(8, std::byte{1}));
  store.drop(old);
  const TensorHandle young = store.put(tensor_of(8, std::byte{2}));
  EXPECT_NE(young, old);
  EXPECT_DEATH(store.drop(old), "handle of no tensor");
  EXPECT_DEATH(store.at(kNoTensor), "handle of no tensor");
}

/// Compares tensors with random fan-outs, whose branches take, drop or share, with a count kept by the test.
TEST(TensorStore, RandomFanOutsLeaveNothing) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    RandomStream random(seed, "fan-outs");
    constexpr std::size_t kBudget = 5000;
    std::size_t freed = 0;
    std::size_t put = 0;
    TensorStore store(kBudget, [&](std::size_t bytes) { freed += bytes; });
    struct Expected {
      std::size_t bytes;
      std::byte fill;
      std::uint32_t references;
    };
    std::map<TensorHandle, Expected> live;
    std::size_t used = 0;
    const auto lose_reference = [&](std::map<TensorHandle, Expected>::iterator place) {
      if (--place->second.references > 0) return;
      used -= place->second.bytes;
      live.erase(place);
    };
    for (int step = 0; step < 3000 || !live.empty(); ++step) {
      const std::uint64_t action = random.below(step < 3000 ? 10 : 5);
      if (action >= 7 || live.empty()) {
        if (step >= 3000) continue;
        const Expected fresh{static_cast<std::size_t>(random.below(300)),
                             static_cast<std::byte>(random.below(256)),
                             static_cast<std::uint32_t>(1 + random.below(4))};
        const TensorHandle handle = store.put(tensor_of(fresh.bytes, fresh.fill), fresh.references);
        ASSERT_EQ(handle != kNoTensor, used + fresh.bytes <= kBudget);
        if (handle == kNoTensor) continue;
        ASSERT_TRUE(live.emplace(handle, fresh).second);
        used += fresh.bytes;
        put += fresh.bytes;
        continue;
      }
      const auto place = std::next(live.begin(), static_cast<std::ptrdiff_t>(random.below(live.size())));
      if (action < 3) {
        const StoredTensor taken = store.take(place->first);
        ASSERT_EQ(taken.bytes, place->second.bytes);
        ASSERT_TRUE(std::ranges::all_of(taken.span(), [&](std::byte b) { return b == place->second.fill; }));
        lose_reference(place);
      } else if (action < 5) {
        store.drop(place->first);
        lose_reference(place);
      } else {
        const auto more = static_cast<std::uint32_t>(random.below(3));
        store.share(place->first, more);
        place->second.references += more;
      }
      ASSERT_EQ(store.used_bytes(), used);
      ASSERT_EQ(store.tensors(), live.size());
    }
    EXPECT_EQ(store.used_bytes(), 0U);
    EXPECT_EQ(freed, put);
  }
}

}  // namespace
}  // namespace harness

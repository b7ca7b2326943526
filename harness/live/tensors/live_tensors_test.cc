// Tests of the tensors of several ranks: every tensor that is asked for comes, whatever the network loses or
// repeats, and no tensor is left at the end.
#include "harness/live/tensors/live_tensors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <vector>

#include "harness/core/random_stream.h"
#include "harness/live/tensors/tensors.h"
#include "harness/live/transport/test_transport.h"
#include "harness/sim/test_world.h"

namespace harness {
namespace {

constexpr std::uint64_t kSeed = 9;

/// Returns the pipeline m0 -> {m1, m2} -> m3, whose modules take 100, 300, 200 and 0 bytes.
Pipeline pipeline() {
  Pipeline made = testing::diamond();
  for (std::size_t m = 0; m < 3; ++m)
    made.modules[m].input_bytes = 100 * static_cast<std::uint32_t>(1 + 2 * m % 3);
  return made;
}

/// Ranks that exchange tensors over a network; its messages are handed over by step().
class Ranks {
 public:
  Ranks(int count, TestFaults faults) : network_(count, std::move(faults), [this] { return now_ns_; }) {
    for (int rank = 0; rank < count; ++rank) {
      outs_.emplace_back(network_.at(rank), 1);
      tensors_.emplace_back(pipeline_, kSeed, rank, outs_.back());
    }
  }
  LiveTensors& at(int rank) { return tensors_[static_cast<std::size_t>(rank)]; }
  void step() {
    ++now_ns_;
    for (std::size_t rank = 0; rank < tensors_.size(); ++rank) {
      Transport& transport = network_.at(static_cast<int>(rank));
      transport.flush();
      transport.receive([&](int from, std::span<const std::byte> bytes) {
        Message message(bytes);
        EXPECT_TRUE(tensors_[rank].take(from, message));
      });
    }
  }

 private:
  TimeNs now_ns_ = 0;
  Pipeline pipeline_ = pipeline();
  TestNetwork network_;
  std::deque<MessageWriter> outs_;
  std::deque<LiveTensors> tensors_;
};

bool has(const StoredTensor& tensor, std::span<const std::byte> bytes) {
  return std::equal(bytes.begin(), bytes.end(), tensor.data, tensor.data + tensor.bytes);
}

TEST(LiveTensors, ATensorComesByHandleOrByMessage) {
  Ranks ranks(2, {});
  Tensors tensors(pipeline(), kSeed);
  ranks.at(0).keep({5, 0}, {0});
  EXPECT_EQ(ranks.at(0).count(), 1u);
  const TransferId here = ranks.at(0).fetch({5, 0}, 0, 100, {1});
  const TransferId there = ranks.at(1).fetch({5, 0}, 0, 300, {1});
  ASSERT_TRUE(ranks.at(0).is_here(here)) << "no message";
  EXPECT_FALSE(ranks.at(1).is_here(there));
  for (int i = 0; i < 3; ++i) ranks.step();
  ASSERT_TRUE(ranks.at(1).is_here(there));
  const StoredTensor whole = tensors.output(0, 5);
  ASSERT_EQ(whole.bytes, 300u) << "the larger of the two that follow";
  EXPECT_TRUE(has(ranks.at(0).at(here), whole.span().first(100)));
  EXPECT_TRUE(has(ranks.at(1).at(there), whole.span()));
  EXPECT_EQ(ranks.at(0).bytes().by_handle, 100u);
  EXPECT_EQ(ranks.at(1).bytes().by_message, 300u);
  EXPECT_TRUE(ranks.at(0).release({5, 0}));
  EXPECT_FALSE(ranks.at(0).release({5, 0}));
  EXPECT_TRUE(has(ranks.at(0).at(here), whole.span().first(100))) << "it is still needed here";
  ranks.at(0).drop(here);
  ranks.at(1).drop(there);
  EXPECT_EQ(ranks.at(0).count(), 0u);
  EXPECT_EQ(ranks.at(1).count(), 0u);
}

TEST(LiveTensors, WhatNobodyKeepsComesAsZeros) {
  Ranks ranks(2, {});
  const std::vector<std::byte> zeros(50);
  for (const int rank : {0, 1}) {
    const TransferId id = ranks.at(0).fetch({3, 1}, rank, 50, {1});
    for (int i = 0; i < 3; ++i) ranks.step();
    ASSERT_TRUE(ranks.at(0).is_here(id));
    EXPECT_TRUE(has(ranks.at(0).at(id), zeros));
    ranks.at(0).drop(id);
  }
  EXPECT_EQ(ranks.at(0).count(), 0u);
  ranks.at(0).keep({3, 1}, {3});
  EXPECT_EQ(ranks.at(0).count(), 0u) << "no module follows";
}

TEST(LiveTensors, WhatTheClientSentStaysUntilItIsReleased) {
  Ranks ranks(2, {});
  std::vector<std::byte> sent(100, std::byte{7});
  ranks.at(0).keep_input(4, ranks.at(0).copy_of(sent));
  const TransferId id = ranks.at(1).fetch({4, kClientTensor}, 0, 100, {0});
  const TransferId own = ranks.at(0).put(ranks.at(0).copy_of(sent));
  for (int i = 0; i < 3; ++i) ranks.step();
  EXPECT_TRUE(has(ranks.at(1).at(id), sent));
  EXPECT_TRUE(has(ranks.at(0).at(own), sent));
  EXPECT_TRUE(ranks.at(0).release({4, kClientTensor}));
  ranks.at(0).drop(own);
  ranks.at(1).drop(id);
  EXPECT_EQ(ranks.at(0).count() + ranks.at(1).count(), 0u);
}

TEST(LiveTensors, LostAndRepeatedMessagesNeitherLoseNorLeak) {
  struct Wanted {
    int rank = 0;
    TransferId id = 0;
    TensorKey key;
    std::size_t bytes = 0;
  };
  std::uint64_t lost = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    RandomStream random(seed, "live_tensors");
    RandomStream fate(seed, "fate");
    TestFaults faults;
    faults.jitter_ns = 5;
    faults.copies = [&fate, &lost](int, int, std::span<const std::byte>) {
      const double share = fate.uniform();
      if (share < 0.1) ++lost;
      return share < 0.1 ? 0 : share < 0.2 ? 2 : 1;
    };
    Ranks ranks(3, faults);
    Tensors tensors(pipeline(), kSeed);
    std::map<TensorKey, int> kept;
    std::vector<Wanted> wanted;
    for (int step = 0; step < 400; ++step) {
      const auto rank = static_cast<int>(random.below(3));
      const TensorKey key{random.below(40), 0};
      if (!kept.contains(key)) {
        kept[key] = rank;
        ranks.at(rank).keep(key, {0});
      }
      const std::size_t bytes = 1 + random.below(300);
      wanted.push_back({rank, ranks.at(rank).fetch(key, kept[key], bytes, {1}), key, bytes});
      if (random.below(3) == 0) {  // its visit was dropped
        ranks.at(rank).drop(wanted.back().id);
        wanted.pop_back();
      }
      ranks.step();
    }
    for (int round = 0; round < 30; ++round) {
      for (const Wanted& one : wanted) ranks.at(one.rank).ask_again(one.id);
      for (int i = 0; i < 20; ++i) ranks.step();
    }
    for (const Wanted& one : wanted) {
      ASSERT_TRUE(ranks.at(one.rank).is_here(one.id));
      const StoredTensor whole = tensors.output(0, one.key.request);
      EXPECT_TRUE(has(ranks.at(one.rank).at(one.id), whole.span().first(one.bytes)));
      ranks.at(one.rank).drop(one.id);
    }
    for (const auto& [key, rank] : kept) EXPECT_TRUE(ranks.at(rank).release(key));
    for (int rank = 0; rank < 3; ++rank) EXPECT_EQ(ranks.at(rank).count(), 0u);
  }
  EXPECT_GT(lost, 100u);
}

}  // namespace
}  // namespace harness

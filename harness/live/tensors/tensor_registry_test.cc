// Tests of rank 0's list of the tensors that the ranks keep: which tensor a visit takes, and what the ranks
// are told.
#include "harness/live/tensors/tensor_registry.h"

#include <gtest/gtest.h>

#include <vector>

#include "harness/live/transport/test_transport.h"

namespace harness {
namespace {

TEST(TensorRegistry, AMergeTakesTheTensorOfTheFirstBranchThatItDeclares) {
  TensorRegistry registry(3);
  registry.add({7, 2}, {1, 5, 0, 0});
  registry.add({7, 1}, {2, 6, 0, 0});
  registry.add({8, 1}, {2, 4, 0, 0});
  ASSERT_NE(registry.source(7, {6, 5}), nullptr);
  EXPECT_EQ(registry.source(7, {6, 5})->first.index, 1);
  EXPECT_EQ(registry.source(7, {5, 6})->first.index, 2);
  EXPECT_EQ(registry.source(7, {4, 5})->second.rank, 1) << "it did not take the first branch";
  EXPECT_EQ(registry.source(7, {4}), nullptr);
  EXPECT_EQ(registry.source(9, {4, 5, 6}), nullptr);
}

TEST(TensorRegistry, TellsEachRankOnceWhatItNeedNotKeep) {
  TestNetwork network(2);
  MessageWriter out(network.at(0), 1);
  TensorRegistry registry(2);
  registry.add({1, 0}, {1, 0, 10, 0});
  registry.add({1, 1}, {1, 1, 11, 0});
  registry.add({2, 0}, {1, 0, 12, 0});
  registry.sweep(1, [](const TensorRegistry::Entry& entry) { return entry.second.visit == 11; });
  registry.send(out);
  registry.send(out);
  EXPECT_FALSE(registry.has({1, 0}));
  EXPECT_TRUE(registry.has({1, 1}));
  registry.let_go(1, {5, 3}, true);
  registry.clear();
  registry.send(out);
  network.at(0).flush();
  std::vector<std::vector<ReleaseEntry>> told;
  network.at(1).receive([&](int, std::span<const std::byte> bytes) {
    Message message(bytes);
    EXPECT_EQ(message.kind(), MessageKind::kRelease);
    message.read_all(told.emplace_back());
  });
  ASSERT_EQ(told.size(), 2u);
  ASSERT_EQ(told[0].size(), 1u);
  EXPECT_EQ(told[0][0].request, 1u);
  EXPECT_EQ(told[0][0].index, 0u);
  ASSERT_EQ(told[1].size(), 3u);
  EXPECT_EQ(told[1][0].lost, 1u);
  EXPECT_EQ(told[1][1].index, 1u);
  EXPECT_EQ(told[1][2].request, 2u);
}

}  // namespace
}  // namespace harness

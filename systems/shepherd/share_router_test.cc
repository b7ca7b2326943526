#include "systems/shepherd/share_router.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "harness/core/portable_math.h"
#include "harness/core/random_stream.h"

namespace harness {
namespace {

using Shares = std::vector<std::uint32_t>;

TEST(SharesOfStreams, GoInTurnWithinTheModel) {
  // Streams of two models in turn: numbers modulo 2 would leave a share empty.
  std::vector<Stream> streams;
  for (int i = 0; i < 8; ++i) streams.push_back({static_cast<ModuleId>(i % 2), 0, 1});
  EXPECT_EQ(shares_of_streams(streams, 0, 2, HerdSplit::kOrder), (Shares{0, 0, 1, 0, 0, 0, 1, 0}));
  EXPECT_EQ(shares_of_streams(streams, 1, 2, HerdSplit::kOrder), (Shares{0, 0, 0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(shares_of_streams(streams, 1, 2, HerdSplit::kRate), (Shares{0, 0, 0, 1, 0, 0, 0, 1}));
}

TEST(SharesOfStreams, AreFilledWithTheLargestFirst) {
  const std::vector<Stream> streams = {{0, 0, 1}, {0, 0, 5}, {0, 0, 3}, {0, 0, 3}};
  // 5 | 3 3, then 1 to the 5.
  EXPECT_EQ(shares_of_streams(streams, 0, 2, HerdSplit::kRate), (Shares{0, 0, 1, 1}));
  EXPECT_EQ(shares_of_streams(streams, 0, 2, HerdSplit::kOrder), (Shares{0, 1, 0, 1}));
}

TEST(SharesOfStreams, HaveARateEachWhereStreamsDo) {
  const std::vector<Stream> streams = {{0, 0, 0}, {0, 0, 0}, {0, 0, 3}, {0, 0, 1}};
  EXPECT_EQ(shares_of_streams(streams, 0, 2, HerdSplit::kOrder), (Shares{0, 1, 0, 1}));
  EXPECT_EQ(shares_of_streams(streams, 0, 2, HerdSplit::kRate), (Shares{1, 1, 0, 1}));
  const std::vector<Stream> three = {{0, 0, 0}, {0, 0, 3}, {0, 0, 1}};
  EXPECT_EQ(shares_of_streams(three, 0, 2, HerdSplit::kOrder), (Shares{0, 0, 1}));
}

// Graham: no share has more than the mean and one stream.
TEST(SharesOfStreams, AreEvenButForOneStream) {
  RandomStream random(1, "shares");
  for (int round = 0; round < 200; ++round) {
    std::vector<Stream> streams(1 + random.below(200));
    const int shares = 1 + static_cast<int>(random.below(40));
    for (Stream& stream : streams) stream.rate_rps = portable_exp(2 * random.normal());
    const Shares share_of = shares_of_streams(streams, 0, shares, HerdSplit::kRate);
    std::vector<double> rates(static_cast<std::size_t>(shares), 0);
    double largest = 0;
    for (std::size_t i = 0; i < streams.size(); ++i) {
      rates.at(share_of[i]) += streams[i].rate_rps;
      largest = std::max(largest, streams[i].rate_rps);
    }
    const double mean = std::accumulate(rates.begin(), rates.end(), 0.0) / shares;
    EXPECT_LE(*std::max_element(rates.begin(), rates.end()), (mean + largest) * (1 + 1e-9));
  }
}

// Visit::stream is the number modulo 65,536: stream 65,536 goes where stream 0 does, and its rate counts
// there.
TEST(SharesOfStreams, KeepStreamsOfOneNumberTogether) {
  std::vector<Stream> streams(65'538, Stream{1, 0, 1});
  streams[0] = {0, 0, 1};
  streams[1] = {0, 0, 4};
  streams[65'536] = {0, 0, 8};
  const Shares share_of = shares_of_streams(streams, 0, 2, HerdSplit::kRate);
  EXPECT_EQ(share_of.size(), 65'536U);
  EXPECT_EQ(share_of[0], 0U);
  EXPECT_EQ(share_of[1], 1U);
}

// Streams in turn over 13 models: the last 4,464 share their numbers with streams of other models.
TEST(SharesOfStreams, AreEvenWithMoreStreamsThanNumbers) {
  constexpr int kModels = 13, kShares = 34;
  std::vector<Stream> streams;
  for (int i = 0; i < 70'000; ++i) streams.push_back({static_cast<ModuleId>(i % kModels), 0, 1});
  for (ModuleId entry = 0; entry < kModels; ++entry) {
    for (const HerdSplit split : {HerdSplit::kRate, HerdSplit::kOrder}) {
      const Shares share_of = shares_of_streams(streams, entry, kShares, split);
      ASSERT_EQ(share_of.size(), 65'536U);
      std::vector<int> streams_in(kShares, 0);
      for (std::size_t i = entry; i < streams.size(); i += kModels) ++streams_in.at(share_of[i % 65'536]);
      const auto [least, most] = std::minmax_element(streams_in.begin(), streams_in.end());
      EXPECT_LE(*most - *least, 1) << "model " << entry;
    }
  }
}

// Streams 5 and 65,541 have one number and one entry: one share, with both their rates.
TEST(SharesOfStreams, CombineStreamsOfOneNumberWhereverTheyStand) {
  std::vector<Stream> streams(70'000, Stream{1, 0, 1});
  streams[65'541] = {0, 0, 2};
  streams[66'000] = {0, 0, 3};
  Shares share_of = shares_of_streams(streams, 0, 2, HerdSplit::kRate);
  EXPECT_EQ(share_of[66'000 % 65'536], 0U);
  EXPECT_EQ(share_of[5], 1U);
  streams[5] = {0, 0, 2};
  share_of = shares_of_streams(streams, 0, 2, HerdSplit::kRate);
  EXPECT_EQ(share_of[5], 0U);
  EXPECT_EQ(share_of[66'000 % 65'536], 1U);
}

TEST(GroupsOfShares, AreInTheOrderOfTheGroups) {
  Plan plan;
  plan.groups = {{4, {0, 2}, {}, 0, {2, 1}}, {4, {1}, {}, 0, {3}}, {4, {0, 1}, {}, 0, {1, 0}}, {0, {0}}};
  EXPECT_EQ(groups_of_shares(plan, 0), (std::vector<GroupId>{0, 0, 2})) << "one without workers has none";
  EXPECT_EQ(groups_of_shares(plan, 2), (std::vector<GroupId>{0}));
}

TEST(ShareRouter, SendsEachStreamToItsGroupAndOnWhenThatIsGone) {
  ShareRouter router({}, 0, HerdSplit::kRate);
  router.divide({0, 1, 2, 0}, {4, 4, 7});
  std::vector<Visit> visits(4);
  for (std::uint16_t i = 0; i < 4; ++i) visits[i].stream = i;
  Shares out(4);
  std::vector<QueueView> queues = {{10, 1, 0, 7}, {11, 1, 0, 4}};
  router.route(0, visits, queues, out);
  EXPECT_EQ(out, (Shares{1, 1, 0, 1}));
  queues = {{10, 1, 0, 7}};
  router.route(0, visits, queues, out);
  EXPECT_EQ(out, (Shares{0, 0, 0, 0}));
  queues = {{10, 1, 0, 7}, {12, 1, 0, 4}};
  router.route(0, visits, queues, out);
  EXPECT_EQ(out, (Shares{1, 1, 0, 1}));
  queues = {{12, 1, 0, 4}};
  router.route(0, visits, queues, out);
  EXPECT_EQ(out, (Shares{0, 0, 0, 0}));
}

}  // namespace
}  // namespace harness

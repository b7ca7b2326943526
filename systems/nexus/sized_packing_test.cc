#include "systems/nexus/sized_packing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "harness/core/random_stream.h"
#include "harness/serving/test_world.h"

namespace harness {
namespace {

/// A batch of up to 10 takes 100 ms: 100/s on a node by itself with an SLO of 200 ms.
Profile hundred_a_second() { return profile_of_ms(std::vector<double>(10, 100)); }

/// Requests/s of each session that the nodes carry.
std::vector<double> carried(const SquishyPacking& packing, std::size_t sessions) {
  std::vector<double> rps(sessions, 0.0);
  for (const PackedNode& node : packing.nodes) {
    for (const NodeShare& share : node.shares) rps[share.session] += share.batch / ns_to_s(node.duty_ns);
  }
  return rps;
}

TEST(SizedPacking, IsThePackingWhereItFits) {
  const Profile profile = hundred_a_second();
  const SizedPacking sized = pack_onto({{&profile, 200 * kMs, 200}}, 3, NexusSpare::kUnused);
  EXPECT_EQ(sized.packing.nodes.size(), 2U);
  EXPECT_EQ(sized.rate_factor, 1);
}

TEST(SizedPacking, ScalesAllRatesDownUntilItFits) {
  // Both sessions need whole nodes, twice as many of the first: 4 + 2 for the whole rates, so 2 + 1 for half.
  const Profile profile = hundred_a_second();
  const SizedPacking sized =
      pack_onto({{&profile, 200 * kMs, 400}, {&profile, 200 * kMs, 200}}, 3, NexusSpare::kUnused);
  EXPECT_NEAR(sized.rate_factor, 0.5, 1e-9);
  EXPECT_EQ(sized.packing.nodes.size(), 3U);
  const std::vector<double> rps = carried(sized.packing, 2);
  EXPECT_NEAR(rps[0], 200, 1e-6);
  EXPECT_NEAR(rps[1], 100, 1e-6);
}

TEST(SizedPacking, SpareGpusAreUsedOnlyWhenTold) {
  const Profile profile = hundred_a_second();
  const std::vector<Session> sessions = {{&profile, 200 * kMs, 100}};
  EXPECT_EQ(pack_onto(sessions, 5, NexusSpare::kUnused).packing.nodes.size(), 1U);
  const SizedPacking scaled = pack_onto(sessions, 5, NexusSpare::kScaled);
  EXPECT_EQ(scaled.packing.nodes.size(), 5U);
  EXPECT_NEAR(scaled.rate_factor, 5, 1e-9);
}

TEST(SizedPacking, MakesNoNodesThatThereIsNoGpuFor) {
  // A million whole nodes at the whole rate.
  const Profile profile = hundred_a_second();
  const SizedPacking sized = pack_onto({{&profile, 200 * kMs, 1e8}}, 4, NexusSpare::kUnused);
  EXPECT_EQ(sized.packing.nodes.size(), 4U);
  EXPECT_NEAR(sized.rate_factor * 1e8, 400, 1e-6);
}

TEST(SizedPacking, LeavesOutTheRarestSessionsWhereNoRateFits) {
  // A batch of one takes 100 of the 200 ms: no two sessions share a node. Two GPUs, three sessions.
  const Profile profile = hundred_a_second();
  const std::vector<Session> sessions = {
      {&profile, 200 * kMs, 100}, {&profile, 200 * kMs, 10}, {&profile, 200 * kMs, 50}};
  const SizedPacking sized = pack_onto(sessions, 2, NexusSpare::kUnused);
  EXPECT_EQ(sized.left_out, std::vector<std::size_t>{1});
  EXPECT_EQ(sized.rate_factor, 1);
  const std::vector<double> rps = carried(sized.packing, 3);
  EXPECT_GE(rps[0], 100);
  EXPECT_EQ(rps[1], 0);
  EXPECT_GE(rps[2], 50);
}

TEST(SizedPacking, SessionsWithoutARateOrThatNoGpuServesHaveNoNode) {
  const Profile profile = hundred_a_second();
  const SizedPacking sized =
      pack_onto({{&profile, 200 * kMs, 0}, {&profile, 199 * kMs, 10}, {&profile, 200 * kMs, 10}}, 2,
                NexusSpare::kScaled);
  EXPECT_EQ(sized.packing.unservable, std::vector<std::size_t>{1});
  for (const PackedNode& node : sized.packing.nodes) {
    ASSERT_EQ(node.shares.size(), 1U);
    EXPECT_EQ(node.shares[0].session, 2U);
  }
  EXPECT_TRUE(pack_onto({{&profile, 200 * kMs, 0}}, 2, NexusSpare::kScaled).packing.nodes.empty());
}

TEST(SizedPacking, FitsAndCarriesTheScaledRatesWhateverTheSessions) {
  RandomStream random(1, "sized packing");
  int scaled_down = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<Profile> profiles;
    for (int i = 0; i < 8; ++i) {
      const double fixed_ms = 1 + 20 * random.uniform();
      profiles.push_back(linear_profile(fixed_ms, 0.2 + random.uniform(), 64));
    }
    std::vector<Session> sessions;
    for (const Profile& profile : profiles)
      sessions.push_back({&profile, ms_to_ns(30 + 250 * random.uniform()), 600 * random.uniform()});
    const int gpus = 1 + static_cast<int>(random.below(12));
    const NexusSpare spare = random.below(2) == 0 ? NexusSpare::kUnused : NexusSpare::kScaled;
    const SizedPacking sized = pack_onto(sessions, gpus, spare);
    ASSERT_LE(sized.packing.nodes.size(), static_cast<std::size_t>(gpus));
    const std::vector<double> rps = carried(sized.packing, sessions.size());
    const auto is_served = [&](std::size_t i) {
      const auto has = [i](const std::vector<std::size_t>& list) {
        return std::find(list.begin(), list.end(), i) != list.end();
      };
      return !has(sized.left_out) && !has(sized.packing.unservable);
    };
    for (std::size_t i = 0; i < sessions.size(); ++i) {
      if (is_served(i)) {
        ASSERT_GE(rps[i], sized.rate_factor * sessions[i].rate_rps * (1 - 1e-6));
      } else {
        ASSERT_EQ(rps[i], 0);
      }
    }
    if (spare == NexusSpare::kUnused) {
      ASSERT_LE(sized.rate_factor, 1);
    }
    if (sized.rate_factor < 1) {
      ++scaled_down;
      // Right above it something does not fit. (The packing is greedy: a little more may fit again.)
      int too_many = 0;
      for (int step = 1; step <= 32; ++step) {
        std::vector<Session> more;
        for (std::size_t i = 0; i < sessions.size(); ++i) {
          if (!is_served(i)) continue;
          more.push_back(sessions[i]);
          more.back().rate_rps *= sized.rate_factor * (1 + step * (1e-12 / 32));
        }
        too_many += pack_sessions(more).nodes.size() > static_cast<std::size_t>(gpus) ? 1 : 0;
      }
      ASSERT_GT(too_many, 0);
    }
  }
  EXPECT_GT(scaled_down, 50);
}

}  // namespace
}  // namespace harness

#include "systems/nexus/squishy_packing.h"

#include <gtest/gtest.h>

#include <string>

#include "harness/core/random_stream.h"
#include "systems/nexus/test_independent_models.h"

namespace harness {
namespace {

/// The worked example of the Nexus paper.
class NexusExample : public testing::Test {
 protected:
  Profile a_ = at_4_8_16(50, 75, 100);
  Profile b_ = at_4_8_16(50, 90, 125);
  Profile c_ = at_4_8_16(60, 95, 125);
};

TEST_F(NexusExample, SaturatedSessionOfAUsesBatch16At160PerSecond) {
  const Session a{&a_, 200 * kMs, 160};
  EXPECT_EQ(saturated_batch(a), 16);
  const SquishyPacking packing = pack_sessions({a});
  ASSERT_EQ(packing.nodes.size(), 1U);
  EXPECT_EQ(packing.nodes[0].duty_ns, 100 * kMs);
  EXPECT_DOUBLE_EQ(packing.nodes[0].occupancy(), 1.0);
}

TEST_F(NexusExample, ResidualOfAHasBatch8AndADutyCycleOf125Ms) {
  const PackedNode node = residual_node({&a_, 200 * kMs, 64}, 0, 64);
  EXPECT_EQ(node.duty_ns, 125 * kMs);
  ASSERT_EQ(node.shares.size(), 1U);
  EXPECT_EQ(node.shares[0].batch, 8);
  EXPECT_EQ(node.shares[0].exec_ns, 75 * kMs);
}

TEST_F(NexusExample, BSharesTheNodeAndCDoesNotFit) {
  const SquishyPacking packing =
      pack_sessions({{&a_, 200 * kMs, 160 + 64}, {&b_, 250 * kMs, 32}, {&c_, 250 * kMs, 32}});
  ASSERT_EQ(packing.nodes.size(), 3U);
  EXPECT_EQ(packing.nodes[0].shares[0].session, 0U) << "the saturated node of A";
  EXPECT_EQ(packing.nodes[0].shares[0].batch, 16);
  const PackedNode& shared = packing.nodes[1];
  EXPECT_EQ(shared.duty_ns, 125 * kMs);
  ASSERT_EQ(shared.shares.size(), 2U);
  EXPECT_EQ(shared.shares[0].session, 0U);
  EXPECT_EQ(shared.shares[0].batch, 8);
  EXPECT_EQ(shared.shares[1].session, 1U);
  EXPECT_EQ(shared.shares[1].batch, 4);
  EXPECT_EQ(shared.shares[1].exec_ns, 50 * kMs);
  EXPECT_EQ(shared.duty_ns + shared.shares[1].exec_ns, 175 * kMs);
  EXPECT_DOUBLE_EQ(shared.occupancy(), 1.0);
  ASSERT_EQ(packing.nodes[2].shares.size(), 1U);
  EXPECT_EQ(packing.nodes[2].shares[0].session, 2U) << "C, 60 ms, does not fit beside A and B";
}

TEST_F(NexusExample, CAloneWouldNotFitBesideAEither) {
  // 75 + 60 > 125.
  const SquishyPacking packing = pack_sessions({{&a_, 200 * kMs, 64}, {&c_, 250 * kMs, 32}});
  EXPECT_EQ(packing.nodes.size(), 2U);
}

TEST(SquishyPacking, ASessionThatNoGpuCanServeIsNamed) {
  const Profile slow = profile_of_ms({60, 70});
  const SquishyPacking packing = pack_sessions({{&slow, 119 * kMs, 1}, {&slow, 120 * kMs, 1}});
  EXPECT_EQ(packing.unservable, std::vector<std::size_t>{0});
  EXPECT_EQ(packing.nodes.size(), 1U);
}

TEST(SquishyPacking, RareRequestsGetADutyCycleThatMeetsTheSlo) {
  const Profile profile = profile_of_ms({10, 12});
  const PackedNode node = residual_node({&profile, 100 * kMs, 0.5}, 0, 0.5);
  EXPECT_EQ(node.duty_ns, 90 * kMs);
  EXPECT_EQ(node.shares[0].batch, 1);
}

TEST(SquishyPacking, RequestsRarerThanTimesCanTellAreRareRequests) {
  // 2^63 ns are 9.2e9 s. A node carries 11/s in batches of 128; a residue just above 1e-9 of that fills 128
  // in 1.16e10 s, one of 1e-10/s a batch of one in 1e10 s.
  const Profile profile = profile_of_ms(std::vector<double>(128, 128e3 / 11));
  const TimeNs slo_ns = 30 * kNsPerS;
  for (const double rate_rps : {1.0001e-9 * 11, 1e-10}) {
    const PackedNode node = residual_node({&profile, slo_ns, rate_rps}, 0, rate_rps);
    EXPECT_EQ(node.duty_ns, slo_ns - profile.latency(1)) << rate_rps;
    ASSERT_EQ(node.shares.size(), 1U);
    EXPECT_EQ(node.shares[0].batch, 1);
  }
}

TEST(SquishyPacking, ARateThatNoSmallerBatchCarriesGetsAWholeNode) {
  // Saturated: batch 2, 100/s. At 99/s a batch of 2 fills in 20.2 ms, too long with 20 ms; batch 1 carries
  // 60/s only.
  const Profile profile = profile_of_ms({16, 20});
  const PackedNode node = residual_node({&profile, 40 * kMs, 99}, 0, 99);
  EXPECT_EQ(node.shares[0].batch, 2);
  EXPECT_EQ(node.duty_ns, 20 * kMs);
}

TEST(SquishyPacking, StopsBeyondTheNodesThatThereAre) {
  const Profile profile = profile_of_ms(std::vector<double>(10, 100));  // 100/s on a node
  const std::vector<Session> sessions = {{&profile, 200 * kMs, 200}, {&profile, 200 * kMs, 1e15}};
  EXPECT_EQ(pack_sessions(sessions, 5).nodes.size(), 6U);
  EXPECT_EQ(pack_sessions(sessions, 1).nodes.size(), 2U);
  EXPECT_EQ(pack_sessions({sessions[0]}, 2).nodes.size(), 2U) << "as many as there are";
}

TEST(SquishyPacking, EveryPackingMeetsItsSlosAndRates) {
  RandomStream random(1, "packing");
  for (int round = 0; round < 500; ++round) {
    std::vector<Profile> profiles;
    for (int i = 0; i < 6; ++i) {
      const double fixed_ms = 1 + 10 * random.uniform();
      profiles.push_back(linear_profile(fixed_ms, 0.5 + random.uniform(), 32));
    }
    std::vector<Session> sessions;
    for (const Profile& profile : profiles) {
      sessions.push_back({&profile, ms_to_ns(60 + 200 * random.uniform()), 1 + 400 * random.uniform()});
    }
    const SquishyPacking packing = pack_sessions(sessions);
    ASSERT_TRUE(packing.unservable.empty());
    std::vector<double> served(sessions.size(), 0.0);
    for (const PackedNode& node : packing.nodes) {
      ASSERT_LE(node.occupancy(), 1.0 + 1e-12);
      for (const NodeShare& share : node.shares) {
        ASSERT_LE(node.duty_ns + share.exec_ns, sessions[share.session].slo_ns);
        served[share.session] += share.batch / ns_to_s(node.duty_ns);
      }
    }
    for (std::size_t i = 0; i < sessions.size(); ++i) ASSERT_GE(served[i], sessions[i].rate_rps * (1 - 1e-6));
  }
}

/// Cases after the rules of nexuslb's Nexus (docs/validation.md) in which its residues agree with the
/// paper's, although their batches last (b - 1) / r + l(b) there and b / r + l(b) in the paper. A batch of b
/// takes 10 + 2 b ms, a batch of `light_` 2 + b.
class LikeNexuslb : public testing::Test {
 protected:
  static std::string text(const PackedNode& node) {
    std::string all = std::to_string(node.duty_ns / kMs) + " ms:";
    for (const NodeShare& share : node.shares) {
      all += " s" + std::to_string(share.session) + "x" + std::to_string(share.batch);
    }
    return all;
  }

  Profile heavy_ = linear_profile(10, 2, 32);
  Profile light_ = linear_profile(2, 1, 32);
};

TEST_F(LikeNexuslb, LargestBatchTakesHalfOfTheSlo) {
  EXPECT_EQ(saturated_batch({&heavy_, 106 * kMs, 1}), 21);  // 10 + 2 x 21 = 52 <= 53, and 54 for 22
  EXPECT_EQ(saturated_batch({&light_, 30 * kMs, 1}), 13);   // 2 + 13 = 15 <= 15
}

TEST_F(LikeNexuslb, Residue) {
  // r = 100/s: theirs 10 (b - 1) + 10 + 2 b <= 106, b <= 8.8; ours 10 b + 10 + 2 b <= 106, b <= 8. The duty
  // cycle is min(106 - 26, 80) = 80 ms.
  EXPECT_EQ(text(residual_node({&heavy_, 106 * kMs, 100}, 0, 100)), "80 ms: s0x8");
  // r = 200/s: theirs 7 b <= 55, ours 7 b <= 50, both 7; min(60 - 24, 35) = 35 ms.
  EXPECT_EQ(text(residual_node({&heavy_, 60 * kMs, 200}, 0, 200)), "35 ms: s0x7");
}

TEST_F(LikeNexuslb, FullNodesAndAResidue) {
  // 21 in 52 ms are 403.8/s: of 503.8462/s one full node and 100/s remain.
  const SquishyPacking packing = pack_sessions({{&heavy_, 106 * kMs, 100 + 21 / 0.052}});
  ASSERT_EQ(packing.nodes.size(), 2U);
  EXPECT_EQ(text(packing.nodes[0]), "52 ms: s0x21");
  EXPECT_EQ(packing.nodes[1].shares[0].batch, 8);
}

TEST_F(LikeNexuslb, ThreeResiduesShareANodeAndTheFourthDoesNotFit) {
  // 26 + 26 + 26 = 78 of 80 ms; the fourth, 50/s with an SLO of 99 ms, has batch 4 (theirs 22 b <= 109, ours
  // 22 b <= 89), 18 ms, 80 ms.
  const Session same{&heavy_, 106 * kMs, 100};
  const SquishyPacking packing = pack_sessions({same, same, same, {&heavy_, 99 * kMs, 50}});
  ASSERT_EQ(packing.nodes.size(), 2U);
  EXPECT_EQ(text(packing.nodes[0]), "80 ms: s0x8 s1x8 s2x8");
  EXPECT_EQ(text(packing.nodes[1]), "80 ms: s3x4");
}

TEST_F(LikeNexuslb, TheShortestDutyCycleSetsAllBatches) {
  // 200/s, 60 ms: 7 in 35 ms. 50/s of `light_`, 44 ms: 2 in 40 ms (theirs 21 b <= 62, ours 21 b <= 42), in 35
  // ms 1.75, so 2: 24 + 4 <= 35.
  const SquishyPacking packing = pack_sessions({{&heavy_, 60 * kMs, 200}, {&light_, 44 * kMs, 50}});
  ASSERT_EQ(packing.nodes.size(), 1U);
  EXPECT_EQ(text(packing.nodes[0]), "35 ms: s0x7 s1x2");
}

TEST_F(LikeNexuslb, ANodeThatWouldBeOverfullIsNotShared) {
  // In 35 ms the 100/s of the other need 3.5, so 4, 18 ms: 24 + 18 > 35.
  const SquishyPacking packing = pack_sessions({{&heavy_, 60 * kMs, 200}, {&heavy_, 106 * kMs, 100}});
  EXPECT_EQ(packing.nodes.size(), 2U);
}

TEST_F(LikeNexuslb, TheirResidueIsLargerWhereTheyDiffer) {
  // r = 100/s, 100 ms: theirs 12 b <= 100, b = 8; the paper's worst wait is the whole duty cycle, 12 b <= 90.
  EXPECT_EQ(text(residual_node({&heavy_, 100 * kMs, 100}, 0, 100)), "70 ms: s0x7");
}

}  // namespace
}  // namespace harness

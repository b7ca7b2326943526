#include "systems/nexus/squishy_packing.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "harness/core/random.h"
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
  const Packing packing = pack_sessions({a});
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
  const Packing packing =
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
  const Packing packing = pack_sessions({{&a_, 200 * kMs, 64}, {&c_, 250 * kMs, 32}});
  EXPECT_EQ(packing.nodes.size(), 2U);
}

TEST(SquishyPacking, ASessionThatNoGpuCanServeIsNamed) {
  const Profile slow = profile_of_ms({60, 70});
  const Packing packing = pack_sessions({{&slow, 119 * kMs, 1}, {&slow, 120 * kMs, 1}});
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
    const Packing packing = pack_sessions(sessions);
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

}  // namespace
}  // namespace harness

#include "systems/infless/instance_kind.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "harness/core/random_stream.h"

namespace harness {
namespace {

/// Batches of 1, 2, ... take so many ms.
Profile profile_of(const std::vector<double>& latencies_ms) {
  Profile profile;
  profile.model = "m";
  for (const double ms : latencies_ms) profile.latency_ns.push_back(ms_to_ns(ms));
  return profile;
}

/// QUART's Table 1, of which 66 % at 2 cores are the CPU's (section 3.4).
Profile quart_profile(double latency_ms) {
  Profile profile = profile_of({latency_ms});
  profile.cpu_ns = ms_to_ns(1.32 * latency_ms);
  profile.cores = 2;
  return profile;
}

/// Batch, r_up, r_low.
struct Rates {
  int batch;
  double up_rps;
  double low_rps;
  bool operator==(const Rates&) const = default;
};
std::vector<Rates> rates_of(const std::vector<InstanceKind>& kinds) {
  std::vector<Rates> rates;
  for (const InstanceKind& kind : kinds) rates.push_back({kind.batch, kind.up_rps, kind.low_rps});
  return rates;
}

// By hand, SLO 200 ms: 8 in 90 ms: 88.9 and 8 / 0.11 = 72.7; 4 in 60: 66.7 and 28.6; 2 in 45: 44.4 and 12.9;
// 1 in 40: 25 and 1. A batch of 16 takes 110 ms, more than half the SLO.
TEST(InstanceKinds, HaveTheRatesBetweenWhichBatchesFillInTime) {
  const Profile profile = profile_of({40, 45, 52, 60, 68, 75, 82, 90, 92, 95, 97, 100, 102, 105, 107, 110});
  const std::vector<InstanceKind> kinds = feasible_kinds(profile, ms_to_ns(200), {});
  EXPECT_EQ(rates_of(kinds), (std::vector<Rates>{{8, 88, 72}, {4, 66, 28}, {2, 44, 12}, {1, 25, 1}}));
  EXPECT_EQ(rates_of(feasible_kinds(profile_of({40, 45, 52}), ms_to_ns(200), {})),
            (std::vector<Rates>{{2, 44, 12}, {1, 25, 1}}))
      << "the profile ends at 3";
  // The time t of larger batches is bounded by half the SLO, the time of a batch of one by the SLO.
  EXPECT_EQ(rates_of(feasible_kinds(profile, ms_to_ns(90), {})),
            (std::vector<Rates>{{2, 44, 44}, {1, 25, 1}}));
  EXPECT_EQ(rates_of(feasible_kinds(profile, ms_to_ns(40), {})), (std::vector<Rates>{{1, 25, 1}}));
  EXPECT_TRUE(feasible_kinds(profile, ms_to_ns(40) - 1, {}).empty());
}

// 1 / 0.074 = 13.5; 1 / 0.646 = 1.5; one that takes 2 s would have 0 of whole requests.
TEST(InstanceKinds, OfQuartsModelsHaveWholeRates) {
  const auto up_rps = [](double ms) {
    return feasible_kinds(quart_profile(ms), ms_to_ns(2 * ms), {}).front().up_rps;
  };
  EXPECT_EQ(up_rps(74), 13);
  EXPECT_EQ(up_rps(137), 7);
  EXPECT_EQ(up_rps(243), 4);
  EXPECT_EQ(up_rps(278), 3);
  EXPECT_EQ(up_rps(646), 1);
  EXPECT_EQ(up_rps(500), 2) << "a whole number stays one";
  EXPECT_EQ(up_rps(2000), 0.5);
  EXPECT_EQ(feasible_kinds(quart_profile(2000), ms_to_ns(4000), {}).front().low_rps, 0.5);
}

// 137 ms with 2 cores: 46.58 + 180.84 / cores.
TEST(InstanceKinds, HaveEvenNumbersOfCores) {
  const Profile profile = quart_profile(137);
  const std::vector<InstanceKind> two = feasible_kinds(profile, ms_to_ns(274), {27, true});
  ASSERT_EQ(two.size(), 1u);
  EXPECT_EQ(two.front().cores, 2);
  EXPECT_EQ(two.front().exec_ns, ms_to_ns(137));
  const std::vector<InstanceKind> many = feasible_kinds(profile, ms_to_ns(274), {27, false});
  ASSERT_EQ(many.size(), 13u);
  EXPECT_EQ(many.front().cores, 26);
  EXPECT_NEAR(ns_to_ms(many.front().exec_ns), 46.58 + 180.84 / 26, 1e-5);
  EXPECT_EQ(many.front().up_rps, 18);
  EXPECT_EQ(many.back().cores, 2);
  EXPECT_EQ(feasible_kinds(profile, ms_to_ns(274), {1, false}).front().cores, 1);
  // With an SLO of 100 ms at least 4 cores (91.8 ms) are needed.
  EXPECT_EQ(feasible_kinds(profile, ms_to_ns(100), {27, false}).back().cores, 4);
  EXPECT_TRUE(feasible_kinds(profile, ms_to_ns(100), {27, true}).empty());
}

// Two kinds by hand: 8 requests in 90 ms (r_up 88, r_low 72), one in 40 ms (25, 1).
TEST(ChosenKind, IsThatOfTheLargestBatchThatFills) {
  const std::vector<InstanceKind> kinds = {{8, 0, ms_to_ns(90), 88, 72}, {1, 0, ms_to_ns(40), 25, 1}};
  const auto batch = [&](double rps) { return choose_kind(kinds, rps, 1, 0).batch; };
  EXPECT_EQ(batch(0), 1);
  EXPECT_EQ(batch(70), 1);
  EXPECT_EQ(batch(72), 8);
  EXPECT_EQ(batch(88), 8);
  EXPECT_EQ(batch(1000), 8);
}

// A GPU is 14,200 units, 8 cores 512: a slot of 14,712. Left of it, and 0.1 %: with 8 cores 0.001, with 6
// 0.0097, with 2 0.0271. 20 / 0.001 = 20,000; 25 / 0.0097 = 2,577; 60 / 0.0271 = 2,214.
TEST(ChosenKind, HasMostThroughputOverWhatIsLeftOfItsSlot) {
  const InstanceKind all{1, 8, ms_to_ns(40), 20, 1};
  const InstanceKind most{1, 6, ms_to_ns(40), 25, 1};
  const InstanceKind few{1, 2, ms_to_ns(40), 60, 1};
  EXPECT_EQ(choose_kind({all, most, few}, 10, 1, 8), all);
  EXPECT_EQ(choose_kind({most, few}, 10, 1, 8), most);
  EXPECT_EQ(choose_kind({{1, 6, ms_to_ns(40), 20, 1}, few}, 10, 1, 8), few);
  EXPECT_EQ(choose_kind({few, few, most}, 10, 1, 8), most);
}

// Three of 7 and 1: R_up 21, R_low 3, so that they are well used from 3 + 0.8 x 18 = 17.4 on.
TEST(DealtInstances, StayFromEightTenthsOnAndAreFewerBelow) {
  const InstanceKind kind{1, 2, ms_to_ns(137), 7, 1};
  const auto dealt = [&](int instances, double rps) { return dealt_instances(kind, instances, rps, 0.8); };
  EXPECT_EQ(dealt(3, 21), 3);
  EXPECT_EQ(dealt(3, 17.4), 3);
  EXPECT_TRUE(is_well_used(kind, 3, 17.4, 0.8));
  EXPECT_FALSE(is_well_used(kind, 3, 17.3, 0.8));
  EXPECT_FALSE(is_well_used(kind, 3, 21.1, 0.8));
  EXPECT_EQ(dealt(3, 13), 2) << "two are well used from 11.6 to 14";
  EXPECT_EQ(dealt(6, 34.9), 6) << "five would do";
  EXPECT_EQ(dealt(6, 34.7), 5);
  EXPECT_EQ(dealt(6, 12), 2) << "well used, and three are not";
  // 15/s: three at least, from 17.4 on. With 0.4 in place of 0.8 four are well used from 13.6 on.
  EXPECT_EQ(dealt(5, 15), 4);
  EXPECT_EQ(dealt(4, 15), 3);
  EXPECT_EQ(dealt(3, 15), 3);
  EXPECT_EQ(dealt(3, 0), 1);
  EXPECT_EQ(dealt(5, 0.5), 1);
}

// Above R_up as many more as the rest needs: 30 - 21 = 9, two of 7.
TEST(DealtInstances, AreMoreAboveTheirCapacity) {
  const InstanceKind kind{1, 2, ms_to_ns(137), 7, 1};
  EXPECT_EQ(dealt_instances(kind, 3, 21.01, 0.8), 4);
  EXPECT_EQ(dealt_instances(kind, 3, 30, 0.8), 5);
  EXPECT_EQ(dealt_instances(kind, 0, 30, 0.8), 5);
  EXPECT_EQ(dealt_instances(kind, 0, 0, 0.8), 1);
}

TEST(DealtInstances, OverRandomKindsCarryTheRateAndAreNoMoreThanNeeded) {
  RandomStream random(1, "test.infless.dealt");
  for (int i = 0; i < 20'000; ++i) {
    InstanceKind kind;
    kind.up_rps = static_cast<double>(1 + random.below(50));
    kind.low_rps = std::floor((kind.up_rps + 1) * random.uniform());
    const int instances = static_cast<int>(random.below(20));
    const double alpha = random.uniform();
    const double rps = 25 * kind.up_rps * random.uniform() * random.uniform();
    const int dealt = dealt_instances(kind, instances, rps, alpha);
    ASSERT_GE(dealt * kind.up_rps, rps - 1e-6);
    if (dealt > instances) {
      ASSERT_TRUE(dealt == 1 || (dealt - 1) * kind.up_rps < rps);
    } else if (dealt == instances && instances > 1 && (instances - 1) * kind.up_rps >= rps) {
      ASSERT_TRUE(is_well_used(kind, instances, rps, alpha)) << "one fewer would do";
    }
    ASSERT_LE(dealt_instances(kind, dealt, rps, alpha), dealt);
  }
}

}  // namespace
}  // namespace harness

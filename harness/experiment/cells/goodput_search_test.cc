// The goodput of one GPU against what queueing theory says of it.
#include "harness/experiment/cells/goodput_search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "harness/core/random_stream.h"
#include "harness/core/test_time.h"
#include "harness/sim/test_world.h"
#include "workloads/catalogue/profile_set.h"

namespace harness {
namespace {

Profile linear(double alpha_ms, double beta_ms, int max_batch) {
  return testing::linear_profile("linear", alpha_ms, beta_ms, max_batch);
}

// A server that takes one request at a time, 10 ms each, and an SLO of 20 ms. What finds it busy waits for
// the rest, below 10 ms, and ends in time if it is the first that waits; a second one is lost: M/D/1/2. Its
// loss by the embedded chain: with a = rho, p0 = e^-a of leaving empty, the loss is 1 - 1 / (p0 + a).
TEST(GoodputSearch, IsThatOfASingleServerWithRoomForOneMore) {
  GoodputSearch search;
  search.requests = 200'000;
  for (const double share : {0.9, 0.99}) {
    search.share = share;
    const double rho = one_gpu_goodput_rps(linear(0, 10, 1), 20 * kMs, search) * 0.010;
    const double served = 1 / (std::exp(-rho) + rho);
    EXPECT_NEAR(served, share, 0.15 * (1 - share));
  }
}

// A rate at which requests wait for ever is not served: profiles whose larger batches are faster.
TEST(GoodputSearch, EndsWithAnyProfile) {
  GoodputSearch search;
  search.requests = 100;
  RandomStream random(1, "any profile");
  for (int i = 0; i < 50; ++i) {
    Profile profile = linear(1, 1, 1);
    profile.latency_ns.resize(1 + random.below(64));
    for (TimeNs& latency : profile.latency_ns)
      latency = static_cast<TimeNs>(1 + random.below(3000)) * kMs / 100;
    EXPECT_GE(one_gpu_goodput_rps(profile, kMs, search), 0);
  }
}

// The same with an SLO of 10 ms: whatever finds it busy is lost, so that 1 / (1 + rho) is served (Erlang).
TEST(GoodputSearch, IsErlangsWhereNothingCanWait) {
  GoodputSearch search;
  search.requests = 200'000;
  search.share = 0.9;
  const double rho = one_gpu_goodput_rps(linear(0, 10, 1), 10 * kMs, search) * 0.010;
  EXPECT_NEAR(1 / (1 + rho), 0.9, 0.01);
}

// Batches of any size take 10 ms, and a request waits for at most one: with 20 ms every one is in time until
// a batch is full.
TEST(GoodputSearch, IsTheThroughputWhereBatchesCostNothing) {
  const double rps = one_gpu_goodput_rps(linear(0, 10, 100), 20 * kMs, {});
  EXPECT_LE(rps, 10'000);
  EXPECT_GE(rps, 0.9 * 10'000);
}

TEST(GoodputSearch, IsNothingWhereNoBatchEndsInTime) {
  EXPECT_EQ(one_gpu_goodput_rps(linear(1, 10, 4), 11 * kMs - 1, {}), 0);
  EXPECT_GT(one_gpu_goodput_rps(linear(1, 10, 4), 11 * kMs, {}), 0);
}

TEST(GoodputSearch, IsBoundedByThroughputAndRisesWithTheSlo) {
  RandomStream random(1, "goodput");
  GoodputSearch search;
  search.requests = 2000;
  for (int round = 0; round < 30; ++round) {
    const double alpha_ms = 5 * random.uniform();
    const double beta_ms = 20 * random.uniform() + 0.1;
    const Profile profile = linear(alpha_ms, beta_ms, 1 + static_cast<int>(random.below(64)));
    double before = 0;
    for (const TimeNs slo_ns : {10 * kMs, 30 * kMs, 100 * kMs, 300 * kMs}) {
      SCOPED_TRACE("round " + std::to_string(round) + " SLO " + std::to_string(slo_ns / kMs));
      const double rps = one_gpu_goodput_rps(profile, slo_ns, search);
      EXPECT_LE(rps, best_throughput_within_rps(profile, profile.max_batch(), slo_ns));
      EXPECT_LE(rps, best_throughput_rps(profile, profile.max_batch()));
      EXPECT_GE(rps, 0.97 * before);  // 2,000 requests and bisection leave some noise
      before = rps;
    }
  }
}

// A device twice as slow has half the goodput under twice the SLO: the same decisions, later.
TEST(GoodputSearch, ScalesWithTheLatencies) {
  const Profile profile = linear(1, 8, 16);
  GoodputSearch search;
  search.requests = 2000;
  const double rps = one_gpu_goodput_rps(profile, 60 * kMs, search);
  EXPECT_NEAR(one_gpu_goodput_rps(scaled(profile, 2), 120 * kMs, search), rps / 2, 0.01 * rps);
}

TEST(GoodputSearch, FallsWithTheShare) {
  GoodputSearch search;
  search.requests = 5000;
  double before = 1e9;
  for (const double share : {0.5, 0.9, 0.99, 0.999}) {
    search.share = share;
    const double rps = one_gpu_goodput_rps(linear(1, 10, 32), 50 * kMs, search);
    EXPECT_LE(rps, before);
    EXPECT_GT(rps, 0);
    before = rps;
  }
}

// What workloads/profiles/shepherd-v100.toml says is what its command finds; a model of it again.
TEST(GoodputSearch, IsWhatTheProfilesOfShepherdSay) {
  const ProfileSet set = load_profiles("shepherd-v100");
  for (const auto& [model, profile] : set.profiles) {
    ASSERT_EQ(profile.goodput.size(), 4U) << model;
    double before = 0;
    for (const GoodputPoint& point : profile.goodput) {
      EXPECT_LE(point.rps, 1.00001 * best_throughput_within_rps(profile, profile.max_batch(), point.slo_ns))
          << model;
      EXPECT_GE(point.rps, before) << model;
      before = point.rps;
    }
  }
  const Profile& bert = set.profiles.at("bert");
  for (const GoodputPoint& point : bert.goodput)
    EXPECT_NEAR(one_gpu_goodput_rps(bert, point.slo_ns, {}), point.rps, 1e-5 * point.rps);
}

}  // namespace
}  // namespace harness

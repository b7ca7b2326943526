// The scheduler against its rules written down plainly, and what holds in any run.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "systems/clockwork/test_clockwork_reference.h"
#include "systems/clockwork/test_clockwork_simulator.h"

namespace harness {
namespace {

ClockworkParams random_params(RandomStream& random) {
  ClockworkParams params;
  params.margin_ms = static_cast<double>(random.below(6));
  params.schedule_ahead_ms = static_cast<double>(random.below(4) * 10);
  params.estimate_window = 1 + static_cast<int>(random.below(10));
  params.estimate_percentile = static_cast<double>(random.below(101));
  params.max_batch = 1 + static_cast<int>(random.below(9));
  params.max_exec_ms = random.below(3) == 0 ? 25 : 0;
  params.sizes = static_cast<ClockworkSizes>(random.below(2));
  params.batch = static_cast<ClockworkBatch>(random.below(2));
  params.stale = static_cast<ClockworkStale>(random.below(2));
  params.overtaken = static_cast<ClockworkOvertaken>(random.below(2));
  params.ties = static_cast<ClockworkTies>(random.below(2));
  return params;
}

ClockworkWorld random_world(RandomStream& random, bool incidents) {
  ClockworkWorld world;
  const std::uint64_t models = 1 + random.below(3);
  for (std::uint64_t m = 0; m < models; ++m) world.profiles.push_back(random_profile(random));
  world.workers = 1 + static_cast<int>(random.below(3));
  world.params = random_params(random);
  world.queues_behind = random.below(4) > 0;
  if (!incidents) return world;
  world.jitter = 0.3;
  world.incidents = random_incidents(random, 60);
  return world;
}

std::vector<CentralRequest> random_requests(RandomStream& random, std::size_t models) {
  return random_requests(random, models, 60, 3, 20);
}

TEST(ClockworkReference, DecidesTheSame) {
  RandomStream random(1, "clockwork reference");
  int served = 0;
  int dropped = 0;
  int behind = 0;
  for (int round = 0; round < 2'000; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const ClockworkWorld world = random_world(random, round % 2 == 1);
    const std::vector<CentralRequest> requests = random_requests(random, world.profiles.size());
    const CentralOutcome outcome = simulate_clockwork(world, requests);
    const CentralOutcome expected = simulate_clockwork<PlainClockwork>(world, requests);
    ASSERT_EQ(outcome.log, expected.log);
    ASSERT_EQ(outcome.in_time, expected.in_time);
    served += outcome.in_time;
    dropped += outcome.dropped;
    behind += outcome.behind;
  }
  EXPECT_GT(served, 40'000);
  EXPECT_GT(dropped, 10'000);
  EXPECT_GT(behind, 5'000);
}

// Where batches take what they are expected to, no batch ends later than the margin before a deadline in it,
// and everything is served or dropped.
TEST(ClockworkProperties, NothingJoinsThatIsEstimatedLateAndEverythingEnds) {
  RandomStream random(2, "clockwork properties");
  for (int round = 0; round < 2'000; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    ClockworkWorld world = random_world(random, false);
    const CentralOutcome outcome = simulate_clockwork(world, random_requests(random, world.profiles.size()));
    ASSERT_LE(outcome.latest_ns, -ms_to_ns(world.params.margin_ms));
    ASSERT_EQ(outcome.late + outcome.waiting, 0);
  }
}

// A single model under a load that a worker can carry: everything is served in time.
TEST(ClockworkProperties, DropsNothingUnderALightLoad) {
  ClockworkWorld world;
  world.profiles = {linear_profile(3, 1, 16)};
  std::vector<CentralRequest> requests;
  RandomStream random(3, "clockwork light");
  TimeNs at_ns = 0;
  for (int i = 0; i < 5'000; ++i) {
    requests.push_back({0, at_ns, at_ns + 50 * kMs});
    at_ns += static_cast<TimeNs>(random.below(20)) * kMs;  // 105/s; batches of one alone are 250/s
  }
  const CentralOutcome outcome = simulate_clockwork(world, requests);
  EXPECT_EQ(outcome.in_time, 5'000);
}

}  // namespace
}  // namespace harness

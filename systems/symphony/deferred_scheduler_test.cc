// Symphony's scheduler: worked examples, and the rules against their plainest form.
#include "systems/symphony/deferred_scheduler.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "systems/symphony/test_symphony_reference.h"
#include "systems/symphony/test_symphony_simulator.h"

namespace harness {
namespace {

const Profile kModelA = linear_profile(5, 1, 50);
const Profile kModelB = linear_profile(4, 2, 50);

CentralRequest of_a(double at_ms) { return {0, ms_to_ns(at_ms), ms_to_ns(at_ms + 20)}; }
CentralRequest of_b(double at_ms) { return {1, ms_to_ns(at_ms), ms_to_ns(at_ms + 27)}; }

// E1: at 8 a batch of six still ends by the first deadline, one of seven would not.
TEST(Symphony, E1RunsABatchOfSix) {
  const std::vector<CentralRequest> requests{of_a(0), of_a(1.5), of_a(3), of_a(4.5),
                                             of_a(6), of_a(7.5), of_a(9)};
  CentralOutcome outcome = simulate_symphony(symphony_world({kModelA}, 20 * kMs, 1), requests);
  EXPECT_EQ(outcome.log, "8: worker 0 runs 0 1 2 3 4 5\n22: worker 0 runs 6\n");
  EXPECT_EQ(outcome.in_time, 7);
  SymphonyParams timeout;
  timeout.drop = SymphonyDrop::kTimeout;
  outcome = simulate_symphony(symphony_world({kModelA}, 20 * kMs, 1, 0, timeout), requests);
  EXPECT_EQ(outcome.log, "8: worker 0 runs 0 1 2 3 4 5\n22: worker 0 runs 6\n") << "whatever the target";
}

// E1, eagerly: one at 0, and at 6, when the GPU is free again, the four that have come by then.
TEST(Symphony, E1EagerlyRunsOneAndThenFour) {
  SymphonyParams eager;
  eager.schedulable = SymphonySchedulable::kEager;
  const CentralOutcome outcome =
      simulate_symphony(symphony_world({kModelA}, 20 * kMs, 1, 0, eager),
                        {of_a(0), of_a(1.5), of_a(3), of_a(4.5), of_a(5.999), of_a(7.5), of_a(9)});
  EXPECT_EQ(outcome.log, "0: worker 0 runs 0\n6: worker 0 runs 1 2 3 4\n15: worker 0 runs 5 6\n");
}

// E3: two models, whose times to start come before the only GPU is free, at 12.5. Model A (requests 0 and 1)
// must start first. Model B's batch is made anew each time that it would end late.
TEST(Symphony, E3GivesAFreeGpuToTheMostUrgentModel) {
  const SymphonyWorld world = symphony_world({kModelA, kModelB}, 27 * kMs, 1, ms_to_ns(12.5));
  const CentralOutcome outcome =
      simulate_symphony(world, {of_a(0), of_b(1), of_a(2), of_b(3), of_b(4), of_b(5), of_b(6)});
  EXPECT_EQ(outcome.log,
            "12.5: worker 0 runs 0 2\n"
            "16+1: drop 1 early_drop\n"
            "19.5: worker 0 runs 3 4 5\n"
            "27+1: drop 6 estimated_late\n");
  EXPECT_EQ(outcome.in_time, 5);
  EXPECT_EQ(outcome.dropped, 2);
}

/// Three workers, and requests one by one that each run for 6 ms at once.
std::string chosen(SymphonyGpu gpu) {
  SymphonyParams params;
  params.schedulable = SymphonySchedulable::kEager;
  params.gpu = gpu;
  return simulate_symphony(symphony_world({kModelA}, 20 * kMs, 3, 0, params),
                           {of_a(1), of_a(2), of_a(10), of_a(20), of_a(30)})
      .log;
}

// Of GPUs that became idle at the same time the one added last goes first.
TEST(Symphony, TakesTheGpuThatHasBeenIdleForLongest) {
  EXPECT_EQ(chosen(SymphonyGpu::kIdleLongest),
            "1: worker 2 runs 0\n2: worker 1 runs 1\n10: worker 0 runs 2\n"
            "20: worker 2 runs 3\n30: worker 1 runs 4\n");
}

TEST(Symphony, KeepsTheLoadOnTheLowestNumbers) {
  EXPECT_EQ(chosen(SymphonyGpu::kLowestNumber),
            "1: worker 0 runs 0\n2: worker 1 runs 1\n10: worker 0 runs 2\n"
            "20: worker 0 runs 3\n30: worker 0 runs 4\n");
}

// Two models that would end late at the same time: the one that became pending last goes first.
TEST(Symphony, PrefersTheLastOfEquallyUrgentModels) {
  const CentralOutcome outcome = simulate_symphony(
      symphony_world({kModelA, kModelA}, 20 * kMs, 1, ms_to_ns(13.5)), {{0, 0, 20 * kMs}, {1, 0, 20 * kMs}});
  EXPECT_EQ(outcome.log, "13.5: worker 0 runs 1\n14+1: drop 0 estimated_late\n");
}

SymphonyWorld random_world(RandomStream& random) {
  std::vector<Profile> profiles;
  for (std::uint64_t models = 1 + random.below(3); models > 0; --models)
    profiles.push_back(random_profile(random));
  SymphonyParams params;
  params.schedulable = static_cast<SymphonySchedulable>(random.below(3));
  params.drop = static_cast<SymphonyDrop>(random.below(2));
  params.gpu = static_cast<SymphonyGpu>(random.below(2));
  const auto workers = static_cast<std::uint32_t>(1 + random.below(3));
  const auto slo_ns = static_cast<TimeNs>(5 + random.below(80)) * kMs;
  SymphonyWorld world = symphony_world(std::move(profiles), slo_ns, workers, 0, params);
  if (random.below(2) == 0) return world;
  world.jitter = 0.3;
  const std::vector<CentralIncident> incidents = random_incidents(random, 120);
  world.incidents.insert(world.incidents.end(), incidents.begin(), incidents.end());
  return world;
}

TEST(SymphonyReference, DecidesTheSame) {
  RandomStream random(1, "symphony reference");
  int served = 0;
  int dropped = 0;
  for (int round = 0; round < 3'000; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const SymphonyWorld world = random_world(random);
    const std::vector<CentralRequest> requests = random_requests(random, world.profiles.size(), 120, 2, 15);
    const CentralOutcome outcome = simulate_symphony(world, requests);
    const CentralOutcome expected = simulate_symphony<PlainScheduler>(world, requests);
    ASSERT_EQ(outcome.log, expected.log);
    if (world.jitter == 0) {
      ASSERT_EQ(outcome.late + outcome.waiting, 0) << "nothing ends late, and everything ends";
    }
    served += outcome.in_time;
    dropped += outcome.dropped;
  }
  EXPECT_GT(served, 100'000);
  EXPECT_GT(dropped, 50'000);
}

}  // namespace
}  // namespace harness

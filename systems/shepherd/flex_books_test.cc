// Random worlds: every request ends once, nothing ends late, no GPU runs two batches (the simulator checks
// each decision), with GPUs that come and go and requests that are cancelled.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "harness/core/random_stream.h"
#include "systems/shepherd/test_flex_simulator.h"

namespace harness {
namespace {

constexpr TimeNs kArrivalsEndNs = 400;

FlexWorld random_world(RandomStream& random) {
  FlexWorld world;
  const std::uint64_t models = 1 + random.below(3);
  for (std::uint64_t m = 0; m < models; ++m) {
    const TimeNs alpha_ns = 1 + static_cast<TimeNs>(random.below(4));
    const TimeNs beta_ns = static_cast<TimeNs>(random.below(20));
    const int max_batch = 1 + static_cast<int>(random.below(40));
    world.profiles.push_back(flex_profile(alpha_ns, beta_ns, max_batch, static_cast<int>(random.below(6))));
  }
  world.workers = 1 + static_cast<int>(random.below(4));
  world.at_exit_points = random.below(2) == 0;
  world.params.batch = random.below(3) == 0 ? FlexBatch::kPrefix : FlexBatch::kSkip;
  world.params.target = random.below(2) == 0 ? FlexTarget::kOrder : FlexTarget::kSmallest;
  world.params.preempt = random.below(5) > 0;
  world.params.max_batch = 1 + static_cast<int>(random.below(40));
  world.params.lambda = random.below(2) == 0 ? 1 : 1.2 + 3 * random.uniform();
  return world;
}

std::vector<FlexRequest> random_requests(RandomStream& random, const FlexWorld& world) {
  std::vector<FlexRequest> requests;
  while (requests.size() < 300) {
    const auto module = static_cast<ModuleId>(random.below(world.profiles.size()));
    const TimeNs arrival = static_cast<TimeNs>(random.below(kArrivalsEndNs));
    const std::uint64_t burst = random.below(8) == 0 ? 1 + random.below(40) : 1;
    const TimeNs slack = world.profiles[module].latency(1) + static_cast<TimeNs>(random.below(80)) - 2;
    for (std::uint64_t i = 0; i < burst; ++i) requests.push_back({module, arrival, arrival + slack});
  }
  std::stable_sort(requests.begin(), requests.end(), [](const FlexRequest& one, const FlexRequest& other) {
    return one.arrival_ns < other.arrival_ns;
  });
  return requests;
}

void add_incidents(RandomStream& random, FlexWorld& world) {
  WorkerId next = static_cast<WorkerId>(world.workers);
  for (int i = 0; i < 30; ++i) {
    FlexIncident incident;
    incident.at_ns = static_cast<TimeNs>(random.below(kArrivalsEndNs));
    incident.kind = static_cast<FlexIncident::Kind>(random.below(4));
    incident.subject = static_cast<std::uint32_t>(random.below(next));
    if (incident.kind == FlexIncident::Kind::kAdded) incident.subject = next++;
    if (incident.kind == FlexIncident::Kind::kCancelled)
      incident.subject = static_cast<std::uint32_t>(random.below(300));
    world.incidents.push_back(incident);
  }
  // A worker must have come before it can go.
  std::erase_if(world.incidents, [&world](const FlexIncident& one) {
    if (one.kind == FlexIncident::Kind::kAdded || one.kind == FlexIncident::Kind::kCancelled) return false;
    if (one.subject < static_cast<WorkerId>(world.workers)) return false;
    return std::none_of(world.incidents.begin(), world.incidents.end(), [&one](const FlexIncident& added) {
      return added.kind == FlexIncident::Kind::kAdded && added.subject == one.subject &&
             added.at_ns < one.at_ns;
    });
  });
}

TEST(FlexBooks, CloseOverRandomWorlds) {
  int in_time = 0, preempted = 0;
  for (std::uint64_t seed = 0; seed < 1'500 && !HasFailure(); ++seed) {
    RandomStream random(seed, "flex_books");
    const FlexWorld world = random_world(random);
    const FlexOutcome outcome = simulate_flex(world, random_requests(random, world));
    EXPECT_EQ(outcome.waiting, 0) << "seed " << seed;
    EXPECT_LE(outcome.lost_ns, outcome.busy_ns);
    in_time += outcome.in_time;
    preempted += outcome.preempted;
  }
  EXPECT_GT(in_time, 50'000);
  EXPECT_GT(preempted, 2'000);
}

TEST(FlexBooks, CloseWithWorkersThatComeAndGoAndRequestsThatAreCancelled) {
  int cancelled = 0;
  for (std::uint64_t seed = 0; seed < 1'500 && !HasFailure(); ++seed) {
    RandomStream random(seed, "flex_incidents");
    FlexWorld world = random_world(random);
    const std::vector<FlexRequest> requests = random_requests(random, world);
    add_incidents(random, world);
    cancelled += simulate_flex(world, requests).cancelled;
  }
  EXPECT_GT(cancelled, 200);
}

TEST(FlexRule, HoldsAfterEveryEvent) {
  int preempted = 0;
  for (std::uint64_t seed = 0; seed < 300 && !HasFailure(); ++seed) {
    RandomStream random(seed, "flex_rule");
    FlexWorld world = random_world(random);
    world.params.batch = FlexBatch::kSkip;
    world.params.preempt = true;
    world.at_exit_points = false;
    world.check_rule = true;
    const std::vector<FlexRequest> requests = random_requests(random, world);
    if (seed % 2 == 0) add_incidents(random, world);
    preempted += simulate_flex(world, requests).preempted;
  }
  EXPECT_GT(preempted, 1'000);
}

TEST(FlexBooks, AreTheSameTwice) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    RandomStream random(seed, "flex_books");
    const FlexWorld world = random_world(random);
    const std::vector<FlexRequest> requests = random_requests(random, world);
    EXPECT_EQ(simulate_flex(world, requests).ended_ns, simulate_flex(world, requests).ended_ns);
  }
}

/// With no more load than one GPU carries in order of deadline nobody is lost.
TEST(FlexBooks, ServeALightLoadWhole) {
  FlexWorld world;
  world.profiles = {flex_profile(1, 9, 16)};
  world.workers = 2;
  std::vector<FlexRequest> requests;
  for (TimeNs at = 0; at < 2'000; at += 10) requests.push_back({0, at, at + 25});
  EXPECT_EQ(simulate_flex(world, requests).in_time, 200);
}

}  // namespace
}  // namespace harness

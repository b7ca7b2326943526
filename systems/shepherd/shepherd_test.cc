// SHEPHERD in the engine: FLEX over streams of several models behind one queue, in virtual time.
#include "systems/shepherd/shepherd.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/test_time.h"
#include "harness/sim/simulation.h"
#include "harness/sim/test_groups.h"
#include "systems/shepherd/test_flex_simulator.h"
#include "systems/test_two_streams.h"

namespace harness {
namespace {

/// A workload of single requests, each with its model and deadline.
struct Workload {
  std::vector<Profile> profiles;
  std::vector<Stream> streams;
  std::vector<FlexRequest> requests;  ///< in order of time, module as its stream's entry
  std::vector<StreamId> stream_of;
};

RunSpec spec_of(const Workload& load, int workers, bool preempt) {
  RunSpec spec;
  spec.pipeline = testing::side_by_side(std::vector<std::size_t>(load.profiles.size(), 1));
  spec.profiles = load.profiles;
  spec.streams = load.streams;
  for (const Stream& stream : load.streams) spec.slo_ns = std::max(spec.slo_ns, stream.slo_ns);
  spec.workers = workers;
  spec.system = make_shepherd();
  testing::set_param(spec, "preempt", preempt);
  std::vector<TimeNs> times;
  for (const FlexRequest& request : load.requests) times.push_back(request.arrival_ns);
  spec.arrivals = std::make_unique<testing::FixedArrivals>(times, times.back() + 1, load.stream_of);
  return spec;
}

/// Those of section 7.2, for 6 s.
Workload two_streams(TimeNs slo_ns) {
  Workload load;
  load.profiles = {flex_profile(ms_to_ns(0.22), ms_to_ns(3.74), 128, 40),
                   flex_profile(ms_to_ns(4.37), ms_to_ns(74.20), 128, 128)};
  load.streams = {{0, slo_ns, 0}, {1, slo_ns, 0}};
  load.requests = requests_of_two_streams<FlexRequest>(6 * kNsPerS, slo_ns);
  for (const FlexRequest& request : load.requests) load.stream_of.push_back(request.module);
  return load;
}

// The engine serves each request when the algorithm alone, in a simulator of its own, does.
TEST(Shepherd, ServesTheTwoStreamsOfSection72AsTheAlgorithmAloneDoes) {
  for (const TimeNs slo_ns : {250 * kMs, 90 * kMs}) {
    for (const bool preempt : {true, false}) {
      SCOPED_TRACE(std::to_string(slo_ns / kMs) + " ms, preempt " + std::to_string(preempt));
      const Workload load = two_streams(slo_ns);
      FlexWorld world;
      world.profiles = load.profiles;
      world.params.preempt = preempt;
      world.at_exit_points = true;
      const FlexOutcome alone = simulate_flex(world, load.requests);
      const RunRecord record = simulate(spec_of(load, 1, preempt), nullptr);
      EXPECT_EQ(record.sent, load.requests.size());
      EXPECT_EQ(record.late, 0U);
      EXPECT_EQ(record.in_time, static_cast<std::uint64_t>(alone.in_time));
      for (std::size_t m = 0; m < 2; ++m)
        EXPECT_EQ(record.modules[m].done, static_cast<std::uint64_t>(alone.in_time_of[m]));
      EXPECT_EQ(record.modules[0].preempted + record.modules[1].preempted,
                static_cast<std::uint64_t>(alone.preempted));
      EXPECT_EQ(alone.preempted > 0, preempt);
    }
  }
}

}  // namespace
}  // namespace harness

// SHEPHERD in the engine: FLEX over streams of several models behind one queue, in virtual time.
#include "systems/shepherd/shepherd.h"

#include <gtest/gtest.h>

#include <string>

#include "harness/core/test_time.h"
#include "harness/sim/simulation.h"
#include "systems/shepherd/test_flex_simulator.h"
#include "systems/test_system_cells.h"
#include "systems/test_two_streams.h"

namespace harness {
namespace {

// The engine serves each request when the algorithm alone, in a simulator of its own, does.
TEST(Shepherd, ServesTheTwoStreamsOfSection72AsTheAlgorithmAloneDoes) {
  for (const TimeNs slo_ns : {250 * kMs, 90 * kMs}) {
    for (const bool preempt : {true, false}) {
      SCOPED_TRACE(std::to_string(slo_ns / kMs) + " ms, preempt " + std::to_string(preempt));
      const auto requests = requests_of_two_streams<FlexRequest>(6 * kNsPerS, slo_ns);
      FlexWorld world;
      world.profiles = {flex_profile(ms_to_ns(0.22), ms_to_ns(3.74), 128, 40),
                        flex_profile(ms_to_ns(4.37), ms_to_ns(74.20), 128, 128)};
      world.params.preempt = preempt;
      world.at_exit_points = true;
      const FlexOutcome alone = simulate_flex(world, requests);
      RunSpec spec =
          testing::independent_cell(world.profiles, {{0, slo_ns, 0}, {1, slo_ns, 0}}, 1, make_shepherd());
      testing::set_param(spec, "preempt", preempt);
      spec.arrivals = testing::arrivals_of_models(requests);
      const RunRecord record = simulate(spec, nullptr);
      EXPECT_EQ(record.sent, requests.size());
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

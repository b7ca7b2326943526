// Clockwork in the engine: streams of several models before one scheduler, in virtual time.
#include "systems/clockwork/clockwork.h"

#include <gtest/gtest.h>

#include <string>

#include "harness/sim/simulation.h"
#include "systems/clockwork/test_clockwork_simulator.h"
#include "systems/test_system_cells.h"
#include "systems/test_two_streams.h"

namespace harness {
namespace {

// The engine serves as many requests of each model as the rules alone, in a simulator of their own, do.
TEST(ClockworkRun, ServesTheTwoStreamsOfSection72AsTheRulesAloneDo) {
  for (const TimeNs slo_ns : {250 * kMs, 90 * kMs}) {
    for (const int max_batch : {16, 128}) {
      SCOPED_TRACE(std::to_string(slo_ns / kMs) + " ms, batches of " + std::to_string(max_batch));
      const auto requests = requests_of_two_streams<CentralRequest>(6 * kNsPerS, slo_ns);
      ClockworkWorld world;
      world.profiles = {linear_profile(3.74, 0.22, 128), linear_profile(74.20, 4.37, 128)};
      world.params.max_batch = max_batch;
      const CentralOutcome alone = simulate_clockwork(world, requests);
      RunSpec spec =
          testing::independent_cell(world.profiles, {{0, slo_ns, 0}, {1, slo_ns, 0}}, 1, make_clockwork());
      spec.arrivals = testing::arrivals_of_models(requests);
      testing::set_param(spec, "max_batch", static_cast<double>(max_batch));
      const RunRecord record = simulate(spec, nullptr);
      EXPECT_EQ(record.sent, requests.size());
      EXPECT_EQ(record.late, 0U);
      EXPECT_EQ(record.in_time, static_cast<std::uint64_t>(alone.in_time));
      for (std::size_t m = 0; m < 2; ++m)
        EXPECT_EQ(record.modules[m].done, static_cast<std::uint64_t>(alone.in_time_of[m]));
    }
  }
}

}  // namespace
}  // namespace harness

// What FLEX's parameters do to a group of 12 GPUs with the 17 models of SHEPHERD's Table 4, in virtual time.
#include <gtest/gtest.h>

#include <cstdio>
#include <vector>

#include "harness/core/random_stream.h"
#include "systems/shepherd/test_flex_simulator.h"
#include "systems/test_table4.h"

namespace harness {
namespace {

constexpr TimeNs kSpanNs = 4 * kNsPerS;

std::vector<Profile> table_4() {
  std::vector<Profile> profiles;
  for (const Table4Model& row : kTable4)
    profiles.push_back(flex_profile(ms_to_ns(row.alpha_ms), ms_to_ns(row.beta_ms), 128, row.exit_points));
  return profiles;
}

struct Load {
  const char* name;
  double rate_rps;
  int burst;         ///< requests that come at one instant for one model
  double slo_ms;     ///< the longest
  double slo_share;  ///< SLOs are uniform from slo_share * slo_ms on
};

std::vector<FlexRequest> requests_of(const Load& load, std::size_t models) {
  RandomStream random(1, load.name);
  std::vector<FlexRequest> requests;
  double at_s = 0;
  while (true) {
    at_s += random.exponential() * load.burst / load.rate_rps;
    const TimeNs at_ns = s_to_ns(at_s);
    if (at_ns >= kSpanNs) return requests;
    const auto module = static_cast<ModuleId>(random.below(models));
    for (int i = 0; i < load.burst; ++i) {
      const double slo_ms = load.slo_ms * (load.slo_share + (1 - load.slo_share) * random.uniform());
      requests.push_back({module, at_ns, at_ns + ms_to_ns(slo_ms)});
    }
  }
}

double goodput(const Load& load, const FlexParams& params, bool at_exit_points = true) {
  FlexWorld world;
  world.profiles = table_4();
  world.workers = 12;
  world.params = params;
  world.at_exit_points = at_exit_points;
  const FlexOutcome outcome = simulate_flex(world, requests_of(load, world.profiles.size()));
  return outcome.in_time / ns_to_s(kSpanNs);
}

FlexParams params_of(double lambda, FlexBatch batch, bool preempt, FlexTarget target) {
  FlexParams params;
  params.lambda = lambda;
  params.batch = batch;
  params.preempt = preempt;
  params.target = target;
  return params;
}

TEST(FlexEffects, OfTheParameters) {
  const std::vector<Load> loads{{"light", 3'000, 1, 250, 1},         {"heavy", 20'000, 1, 250, 1},
                                {"bursts", 6'000, 100, 250, 1},      {"heavy bursts", 20'000, 100, 250, 1},
                                {"tight bursts", 6'000, 100, 90, 1}, {"mixed SLOs", 20'000, 20, 250, 0.2}};
  constexpr auto kSkip = FlexBatch::kSkip;
  constexpr auto kOrder = FlexTarget::kOrder;
  std::printf("  goodput/s       default   prefix  no preemption  lambda 1.5       6  smallest  no delay\n");
  for (const Load& load : loads) {
    const double usual = goodput(load, {});
    const double prefix = goodput(load, params_of(1, FlexBatch::kPrefix, true, kOrder));
    const double without = goodput(load, params_of(1, kSkip, false, kOrder));
    const double eager = goodput(load, params_of(1.5, kSkip, true, kOrder));
    const double reluctant = goodput(load, params_of(6, kSkip, true, kOrder));
    const double smallest = goodput(load, params_of(1, kSkip, true, FlexTarget::kSmallest));
    const double no_delay = goodput(load, {}, false);
    std::printf("  %-14s %8.0f %8.0f %14.0f %11.0f %7.0f %9.0f %9.0f\n", load.name, usual, prefix, without,
                eager, reluctant, smallest, no_delay);
    // Under overload prefixes leave GPU time to small batches; preempting for little wastes what has run.
    if (load.burst < 100 && load.rate_rps > 10'000) {
      EXPECT_GT(usual, 1.04 * prefix);
    }
    EXPECT_GT(usual, eager);
    EXPECT_GT(usual, 0.99 * without);
    EXPECT_NEAR(smallest, usual, 0.01 * usual);
  }
}

}  // namespace
}  // namespace harness

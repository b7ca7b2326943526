// PARD's variants in whole simulated runs.
#include <gtest/gtest.h>

#include <string>

#include "harness/sim/simulation.h"
#include "harness/sim/test_world.h"
#include "systems/pard/test_variants.h"

namespace harness {
namespace {

constexpr TimeNs kDuration = 20 * kNsPerS;

/// A chain of modules with batches of 4 in 10 ms, one worker each (400 requests/s), SLO 60 ms a module.
RunRecord run(const std::string& variant, std::size_t modules, double rate_rps, const ParamValues& more = {},
              double slow_last = 1) {
  std::vector<Profile> profiles(modules, testing::linear_profile("test", 1, 6, 4));
  for (TimeNs& latency : profiles.back().latency_ns)
    latency = static_cast<TimeNs>(slow_last * static_cast<double>(latency));
  RunSpec spec = testing::make_spec("pard", testing::chain(modules), profiles,
                                    std::vector<ModuleOverride>(modules, {4, 1}),
                                    static_cast<TimeNs>(modules) * 60 * kNsPerMs,
                                    testing::poisson_times(rate_rps, kDuration, 3), kDuration);
  spec.workers = static_cast<int>(modules);
  apply_variant(*spec.system, variant);
  set_params(*spec.system, more);
  return simulate(spec, nullptr);
}

std::uint64_t dropped(const RunRecord& record, std::size_t module, DropReason reason) {
  return record.modules[module].dropped[static_cast<std::size_t>(reason)];
}

// With one module there is nothing to split, to estimate or to warn: L_sub is 0 in all of them.
TEST(PardSimulated, WithOneModuleEveryEstimateIsPards) {
  for (const double rate : {200.0, 390.0, 600.0}) {
    const std::uint64_t pard = run("default", 1, rate).fingerprint;
    for (const char* variant : {"split", "wcl", "back", "sf", "lower", "upper"}) {
      EXPECT_EQ(run(variant, 1, rate).fingerprint, pard) << variant << " at " << rate;
    }
  }
}

// Lambda 0 is PARD-lower and lambda 1 PARD-upper, to the bit.
TEST(PardSimulated, TheEndsOfLambdaAreLowerAndUpper) {
  EXPECT_EQ(run("default", 3, 420, {{"lambda", 0.0}}).fingerprint, run("lower", 3, 420).fingerprint);
  EXPECT_EQ(run("default", 3, 420, {{"lambda", 1.0}}).fingerprint, run("upper", 3, 420).fingerprint);
}

// Until the first re-allocation could take effect, PARD-WCL is PARD-split.
TEST(PardSimulated, WclWithoutReallocationIsTheSplit) {
  for (const char* budget : {"cumulative", "per_module"}) {
    const std::pair<std::string, ParamValue> reading{"budget", std::string(budget)};
    EXPECT_EQ(run("wcl", 3, 420, {{"wcl_period_s", 3600.0}, reading}).fingerprint,
              run("split", 3, 420, {reading}).fingerprint);
    EXPECT_NE(run("wcl", 3, 420, {reading}).fingerprint, run("split", 3, 420, {reading}).fingerprint);
  }
}

TEST(PardSimulated, EveryVariantDecidesDifferentlyAroundCapacity) {
  const std::uint64_t pard = run("default", 3, 405).fingerprint;
  for (const PardVariant& variant : pard_variants()) {
    EXPECT_NE(run(variant.name, 3, 405).fingerprint, pard) << variant.name;
  }
}

// The last module has half the rate. Overloaded, it has the first refuse for it: since both go by one level
// and one priority, what reaches the last module was refused before, but for what was on its way.
TEST(PardSimulated, OcRefusesAtTheEntryForTheLastModule) {
  const ParamValues hasty = {{"overload_alpha", 0.2}, {"overload_threshold_ms", 30.0}};
  const RunRecord record = run("oc", 3, 300, hasty, 2);
  EXPECT_GT(dropped(record, 0, DropReason::kOverload), 200U);
  EXPECT_LT(dropped(record, 2, DropReason::kOverload), dropped(record, 0, DropReason::kOverload) / 20);
  EXPECT_LT(record.modules[2].arrived, run("back", 3, 300, {}, 2).modules[2].arrived);
}

TEST(PardSimulated, OcRefusesNothingUnlessOverloaded) {
  const RunRecord record = run("oc", 3, 100);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(dropped(record, k, DropReason::kOverload), 0U);
  EXPECT_EQ(record.fingerprint, run("back", 3, 100).fingerprint);
}

}  // namespace
}  // namespace harness

// The system `triton` as others see it, and in whole simulated runs.
#include "systems/triton/triton.h"

#include <gtest/gtest.h>

#include "harness/core/drop_reason.h"
#include "harness/core/param_error.h"
#include "harness/sim/simulation.h"
#include "harness/sim/test_world.h"

namespace harness {
namespace {

/// A module with two instances and batches of up to 8 in 10 ms + 2 ms each, under 120 requests/s, which is
/// less than batches of one can serve.
RunSpec light(const char* param, const ParamValue& value) {
  RunSpec spec =
      testing::make_spec("triton", testing::chain(1), {testing::linear_profile("m", 2, 10, 8)}, {{8, 2}},
                         ms_to_ns(300), testing::poisson_times(120, 20 * kNsPerS, 5), 20 * kNsPerS);
  spec.serving.queue = QueueScope::kModule;
  testing::set_param(spec, param, value);
  return spec;
}

double mean_batch(const RunRecord& record) {
  return static_cast<double>(record.modules[0].arrived) / static_cast<double>(record.modules[0].batches);
}

TEST(Triton, ByDefaultDecidesAsNaiveWithLateCommitAndAQueueForEachModule) {
  const auto fingerprint = [](const char* system) {
    RunSpec spec = testing::make_spec(system, testing::chain(3),
                                      std::vector<Profile>(3, testing::linear_profile("m", 2, 10, 8)),
                                      std::vector<ModuleOverride>(3, {8, 2}), ms_to_ns(300),
                                      testing::poisson_times(700, 10 * kNsPerS, 5), 10 * kNsPerS);
    spec.serving.queue = QueueScope::kModule;
    spec.serving.commit = Commit::kLate;
    return simulate(spec, nullptr).fingerprint;
  };
  EXPECT_EQ(fingerprint("triton"), fingerprint("naive"));
}

TEST(Triton, ADelayMakesLargerBatches) {
  const RunRecord at_once = simulate(light("max_queue_delay_us", 0.0), nullptr);
  const RunRecord delayed = simulate(light("max_queue_delay_us", 20'000.0), nullptr);
  EXPECT_EQ(at_once.in_time, at_once.sent);
  EXPECT_EQ(delayed.in_time, delayed.sent);
  EXPECT_GT(mean_batch(delayed), 1.5 * mean_batch(at_once));
}

TEST(Triton, WithoutDynamicBatchingEachRequestRunsAlone) {
  EXPECT_EQ(mean_batch(simulate(light("dynamic_batching", false), nullptr)), 1);
}

TEST(Triton, ATimeoutWithinTheDelayLosesRequestsAtALightLoad) {
  RunSpec spec = light("max_queue_delay_us", 20'000.0);
  testing::set_param(spec, "default_timeout_us", 1'000.0);
  const RunRecord record = simulate(spec, nullptr);
  EXPECT_GT(record.modules[0].dropped[static_cast<std::size_t>(DropReason::kExpired)], record.sent / 2);
}

TEST(Triton, RefusesPreferredSizesThatAreNoNumbers) {
  EXPECT_THROW(simulate(light("preferred_batch_size", std::string("4, large")), nullptr), ParamError);
}

}  // namespace
}  // namespace harness

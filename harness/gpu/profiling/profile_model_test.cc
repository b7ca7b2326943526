#include "harness/gpu/profiling/profile_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "harness/core/portable_math.h"
#include "harness/core/random_stream.h"
#include "harness/gpu/device/test_scripted_device.h"
#include "harness/gpu/profiling/batch_runner.h"
#include "harness/gpu/profiling/device_wait.h"
#include "harness/gpu/profiling/repeated_times.h"

namespace harness {
namespace {

ModelSource source(int exit_points = 0) {
  ModelSource model;
  model.model = "m";
  model.exit_points = exit_points;
  return model;
}

ProfileParams params(std::vector<int> batches) {
  ProfileParams result;
  result.batches = std::move(batches);
  result.image_height = result.image_width = 2;
  result.rule.limit_ns = 3600 * kNsPerS;
  return result;
}

/// Virtual time, which waiting advances.
class VirtualWait final : public DeviceWait {
 public:
  TimeNs now_ns() const override { return now_ns_; }
  void sleep_until(TimeNs time_ns) override { now_ns_ = std::max(now_ns_, time_ns); }
  void wait_for_device(TimeNs deadline_ns) override { sleep_until(std::min(next_end_ns(), deadline_ns)); }

  std::function<TimeNs()> next_end_ns;  ///< time of the device's next end

 private:
  TimeNs now_ns_ = 1'000'000;
};

/// A device in the time of `wait`. Loading takes 7 ms, handing over an image 30 us.
class TimedDevice final : public ScriptedDevice {
 public:
  TimedDevice(VirtualWait& wait, std::function<TimeNs(const ModelSource&, int)> latency)
      : ScriptedDevice({[&wait] { return wait.now_ns(); }, std::move(latency), 30 * kNsPerUs}) {
    script.on_load = [&wait] { wait.sleep_until(wait.now_ns() + 7 * kNsPerMs); };
    script.note = " is timed";
    wait.next_end_ns = [this] { return next_end_ns(); };
  }
};

TimeNs line(const ModelSource&, int batch) { return 220'000 * batch + 3'740'000; }

TEST(UsualBatches, ArePowersOfTwoAndTheStepsBetween) {
  EXPECT_EQ(usual_batches(1), (std::vector<int>{1}));
  EXPECT_EQ(usual_batches(8), (std::vector<int>{1, 2, 3, 4, 6, 8}));
  EXPECT_EQ(usual_batches(13), (std::vector<int>{1, 2, 3, 4, 6, 8, 12, 13}));
}

TEST(ProfileModel, TakesTheDevicesNotesOfThisModelAlone) {
  VirtualWait wait;
  TimedDevice device(wait, line);
  profile_model(device, wait, source(), params({1}));
  ModelSource other = source();
  other.model = "other";
  EXPECT_EQ(profile_model(device, wait, other, params({1})).notes,
            std::vector<std::string>{"other is timed"});
}

TEST(ProfileModel, MeasuresWhatTheDeviceTakes) {
  VirtualWait wait;
  TimedDevice device(wait, line);
  const ModelProfile profile = profile_model(device, wait, source(), params({1, 2, 5, 16}));
  EXPECT_EQ(profile.model, "m");
  EXPECT_EQ(profile.device, "scripted");
  ASSERT_EQ(profile.sizes.size(), 4U);
  for (const BatchLatency& size : profile.sizes) {
    EXPECT_EQ(size.time.median_ns, line(source(), size.batch));
    EXPECT_EQ(size.time.p99_ns, size.time.median_ns);
    EXPECT_EQ(size.time.half_width_ns, 0);
  }
  ASSERT_TRUE(profile.fit);
  EXPECT_NEAR(profile.fit->alpha_ns, 220'000, 1e-6);
  EXPECT_EQ(profile.load_ns, 7 * kNsPerMs);
  EXPECT_EQ(profile.model_bytes, 5'000'000U);
  EXPECT_EQ(profile.input_bytes, 1'000U);
  EXPECT_EQ(profile.handover_ns, 30 * kNsPerUs);
  EXPECT_EQ(profile.stopped_by, StoppedBy::kNarrow);
  EXPECT_EQ(profile.refused_batch, 0);
  EXPECT_FALSE(profile.exit_points);
  ASSERT_EQ(device.diary().models.size(), 1U);
  EXPECT_EQ(device.diary().models[0].max_batch, 16);
}

// The noise is 6 % (lognormal: its median is the base), and latencies fall from batch 4 to 5 as in Nexus's
// vgg16: each median is found within 5 half-widths of 2 %.
TEST(ProfileModel, FindsTheMediansOfNoisyLatenciesThatDoNotRise) {
  RandomStream random(3, "noise");
  const double base_ms[] = {0, 2.0, 2.1, 3.9, 9.0, 7.0};
  VirtualWait wait;
  TimedDevice device(wait, [&](const ModelSource&, int batch) {
    return ms_to_ns(base_ms[batch] * portable_exp(0.06 * random.normal()));
  });
  const ModelProfile profile = profile_model(device, wait, source(), params({1, 2, 3, 4, 5}));
  EXPECT_EQ(profile.stopped_by, StoppedBy::kNarrow);
  for (const BatchLatency& size : profile.sizes) {
    const double base_ns = base_ms[size.batch] * 1e6;
    EXPECT_NEAR(static_cast<double>(size.time.median_ns), base_ns, 0.05 * base_ns);
    EXPECT_LE(size.time.half_width_share(), 0.02);
    // The quantiles of the lognormal are 1.2816 standard deviations to each side.
    EXPECT_NEAR(static_cast<double>(size.time.p10_ns), base_ns * std::exp(-1.2816 * 0.06), 0.06 * base_ns);
    EXPECT_NEAR(static_cast<double>(size.time.p90_ns), base_ns * std::exp(1.2816 * 0.06), 0.06 * base_ns);
  }
  EXPECT_LT(profile.sizes[4].time.median_ns, profile.sizes[3].time.median_ns);
}

// Exit points make each batch 3 % longer. With 4 of them a batch has 5 equal parts, so a request at an even
// moment waits half a part, a tenth of the batch, on average and the whole part at most; in the last part no
// exit point is left, which is one request of five.
TEST(ProfileModel, ChargesExitPointsWithTheirDelays) {
  VirtualWait wait;
  TimedDevice device(wait, [](const ModelSource& model, int batch) {
    const TimeNs plain = 10 * kNsPerMs * batch;
    return model.exit_points > 0 ? plain * 103 / 100 : plain;
  });
  device.script.handover_ns = 0;
  ProfileParams wanted = params({1, 2, 4});
  wanted.preemptions = 200;
  const ModelProfile profile = profile_model(device, wait, source(4), wanted);
  EXPECT_EQ(profile.sizes[2].time.median_ns, 40 * kNsPerMs);
  ASSERT_TRUE(profile.exit_points);
  const ExitPointCost& cost = *profile.exit_points;
  EXPECT_EQ(cost.exit_points, 4);
  EXPECT_NEAR(cost.overhead, 0.03, 1e-9);
  EXPECT_NEAR(cost.largest_overhead, 0.03, 1e-9);
  EXPECT_NEAR(cost.delay_share, 1.03 / 10, 0.002);
  EXPECT_LE(cost.delay_p99_ns, 40 * kNsPerMs * 103 / 100 / 5);
  EXPECT_EQ(cost.stopped + cost.ran_out, 600);
  EXPECT_NEAR(cost.ran_out, 120, 6);
}

TEST(ProfileModel, LeavesOutSizesThatDoNotFit) {
  VirtualWait wait;
  TimedDevice device(wait, line);
  device.script.fits = 6;
  const ModelProfile profile = profile_model(device, wait, source(), params({1, 4, 8, 16}));
  ASSERT_EQ(profile.sizes.size(), 2U);
  EXPECT_FALSE(profile.fit) << "a line through two points fits whatever they are";
  EXPECT_EQ(profile.sizes.back().batch, 4);
  EXPECT_EQ(profile.refused_batch, 8);
  const std::vector<std::size_t>& sizes = device.diary().batch_sizes;
  EXPECT_EQ(*std::max_element(sizes.begin(), sizes.end()), 8U);
}

TEST(ProfileModel, FailsWhereNothingCanBeMeasured) {
  VirtualWait wait;
  TimedDevice device(wait, line);
  device.script.fits = 0;
  EXPECT_THROW(profile_model(device, wait, source(), params({1, 2})), EnvironmentError);
  device.script.fits = 100;
  device.script.fails_at = device.diary().batch_sizes.size();
  try {
    profile_model(device, wait, source(), params({1, 2}));
    FAIL();
  } catch (const EnvironmentError& error) {
    EXPECT_NE(std::string(error.what()).find(": compute failed: as told"), std::string::npos);
  }
  ModelSource broken = source();
  broken.model = "broken";
  EXPECT_THROW(profile_model(device, wait, broken, params({1})), DeviceError);
}

TEST(BatchRunner, GivesUpOnADeviceThatDoesNotAnswer) {
  VirtualWait wait;
  TimedDevice device(wait, [](const ModelSource&, int) { return 3600 * kNsPerS; });
  BatchRunner runner(device, wait, 1, 2, 2, 1);
  const DeviceModel model = device.load(source());
  EXPECT_THROW(runner.run(model, 1), EnvironmentError);
}

TEST(BatchRunner, AsksNothingOfABatchThatHasEnded) {
  VirtualWait wait;
  TimedDevice device(wait, line);
  BatchRunner runner(device, wait, 1, 2, 2, 1);
  const DeviceModel model = device.load(source(3));
  EXPECT_EQ(runner.run_preempted(model, 1, kNsPerS).asked_ns, 0);
  const FinishedBatch stopped = runner.run_preempted(model, 1, kNsPerMs);
  EXPECT_TRUE(stopped.end.preempted);
  EXPECT_EQ(stopped.asked_ns - stopped.submitted_ns, kNsPerMs);
  EXPECT_EQ(stopped.time_ns(), line(source(), 1) / 4 * 1);
}

}  // namespace
}  // namespace harness

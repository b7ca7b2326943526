#include "harness/gpu/device/device_watch.h"

#include <gtest/gtest.h>

#include <future>

#include "harness/machine/steady_clock.h"

namespace harness {
namespace {

const DevicePlace kPlace{"cpu (worker 2)", "loop of loop.pt", 0};
constexpr TimeNs kHourNs = 3600 * kNsPerS;

DeviceWatch::Rules rules_without_looks() {
  DeviceWatch::Rules rules;
  rules.look_ns = kHourNs;
  return rules;
}

TEST(DeviceWatch, EndsWhatComputesBeyondItsLimit) {
  for (const double limit_s : {0.0, 2.0, 30.0, 5000.0}) {
    for (const std::size_t batch : {std::size_t{0}, std::size_t{4}}) {
      const auto idle = std::make_shared<DeviceActivity>();
      const auto busy = std::make_shared<DeviceActivity>();
      DeviceWatch::Rules rules = rules_without_looks();
      rules.cell_limit_s = limit_s;
      DeviceWatch watch({idle, busy}, rules);
      EXPECT_EQ(watch.why_to_end(steady_ns() + kHourNs), "");
      busy->begin(kPlace, batch);
      const TimeNs since_ns = busy->task().since_ns;
      const TimeNs more_ns = batch == 0 ? DeviceWatch::kLoadingNs : DeviceWatch::kGraceNs;
      const TimeNs limit_ns = limit_s > 0 ? s_to_ns(limit_s) + more_ns : DeviceWatch::kLongestTaskNs;
      EXPECT_EQ(watch.why_to_end(since_ns + limit_ns - 1), "");
      const std::string why = watch.why_to_end(since_ns + limit_ns);
      EXPECT_NE(why.find("device cpu (worker 2): model loop of loop.pt"), std::string::npos) << why;
      EXPECT_EQ(why.find("batch 4:") != std::string::npos, batch == 4) << why;
      EXPECT_EQ(why.find("cell_limit_s = ") != std::string::npos, limit_s > 0) << why;
      busy->begin(kPlace, batch);  // the next batch
      EXPECT_EQ(watch.why_to_end(busy->task().since_ns + limit_ns - 1), "");
      busy->end();
      EXPECT_EQ(watch.why_to_end(since_ns + 10 * kHourNs), "");
    }
  }
}

TEST(DeviceWatch, EndsWhatGoesOnAfterTheUserWantsToStop) {
  const auto device = std::make_shared<DeviceActivity>();
  bool stopped = false;
  DeviceWatch::Rules rules = rules_without_looks();
  rules.check_signal = [&] {
    if (stopped) throw EnvironmentError("interrupted");
  };
  DeviceWatch watch({device}, rules);
  device->begin(kPlace, 1);
  const TimeNs now_ns = device->task().since_ns;
  EXPECT_EQ(watch.why_to_end(now_ns), "");
  stopped = true;
  EXPECT_EQ(watch.why_to_end(now_ns + 1), "");
  EXPECT_EQ(watch.why_to_end(now_ns + DeviceWatch::kGraceNs), "");
  EXPECT_EQ(watch.why_to_end(now_ns + DeviceWatch::kGraceNs + 1), "interrupted");
  device->end();
  EXPECT_EQ(watch.why_to_end(now_ns + DeviceWatch::kGraceNs + 2), "");
}

TEST(DeviceWatch, ItsThreadTellsOnce) {
  const auto device = std::make_shared<DeviceActivity>();
  std::promise<std::string> told;
  DeviceWatch::Rules rules;
  rules.look_ns = kNsPerMs;
  rules.check_signal = [] { throw EnvironmentError("interrupted"); };
  rules.end = [&](const std::string& why) { told.set_value(why); };
  device->begin(kPlace, 1);
  const DeviceWatch watch({device}, rules);
  EXPECT_EQ(told.get_future().get(), "interrupted");
}

}  // namespace
}  // namespace harness

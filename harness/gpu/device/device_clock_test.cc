#include "harness/gpu/device/device_clock.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "harness/core/random_stream.h"

namespace harness {
namespace {

// A device whose clock runs 40 parts in a million fast and rounds to half a microsecond, as CUDA's events do;
// each reference is made somewhere within a bracket of 4 to 12 us.
TEST(DeviceClock, TellsTimesWithinTheErrorThatItSays) {
  constexpr double kFast = 1 + 40e-6;
  RandomStream random(5, "clock", 0);
  const auto device_ms = [&](TimeNs from, TimeNs to) {
    return std::round(static_cast<double>(to - from) * kFast / 500) * 500 / 1e6;
  };
  DeviceClock clock;
  std::array<TimeNs, DeviceClock::kReferences> made = {};
  TimeNs now = 1'000 * kNsPerS;
  std::optional<int> last;
  TimeNs worst = 0;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(clock.is_due(now));
    const TimeNs before = now;
    const TimeNs truth = before + static_cast<TimeNs>(random.below(4000));
    const TimeNs after = truth + 4000 + static_cast<TimeNs>(random.below(4000));
    const int spare = clock.spare();
    std::optional<double> since;
    if (last) since = device_ms(made[static_cast<std::size_t>(*last)], truth);
    made[static_cast<std::size_t>(spare)] = truth;
    clock.renew({before, after}, since);
    const int reference = clock.acquire();
    EXPECT_EQ(reference, spare);
    EXPECT_FALSE(clock.is_due(after + DeviceClock::kRenewNs));
    now = after + DeviceClock::kRenewNs + 1;
    const TimeNs moment = truth + static_cast<TimeNs>(random.below(DeviceClock::kRenewNs));
    const TimeNs told = clock.host_ns(reference, device_ms(truth, moment));
    worst = std::max(worst, std::abs(told - moment));
    clock.release(reference);
    last = reference;
  }
  EXPECT_LE(worst, clock.error_ns());
  // The error can be at most half a bracket twice, the drift of 200 ms, and roundings.
  EXPECT_LE(clock.error_ns(), 6000 + 6000 + 8000 + 1000);
  EXPECT_GT(worst, 4000) << "the test's device is hardly off";
}

TEST(DeviceClock, KeepsTheReferencesOfOutstandingBatches) {
  DeviceClock clock;
  clock.renew({100, 200}, std::nullopt);
  EXPECT_EQ(clock.error_ns(), 50);
  const int first = clock.acquire();
  clock.renew({1000, 1100}, 0.0009);
  const int second = clock.acquire();
  for (int i = 0; i < 5; ++i) {
    EXPECT_NE(clock.spare(), first);
    EXPECT_NE(clock.spare(), second);
    clock.renew({2000 + i, 2000 + i}, 0.0009);
  }
  EXPECT_EQ(clock.host_ns(first, 0.001), 150 + 1000);
  EXPECT_EQ(clock.host_ns(second, -0.001), 1050 - 1000) << "a moment before the reference";
}

TEST(DeviceClock, TriesAgainLaterWhenAReferenceCouldNotBeMade) {
  DeviceClock clock;
  EXPECT_TRUE(clock.is_due(0));
  clock.renew({0, 100}, std::nullopt);
  const TimeNs now = 100 + DeviceClock::kRenewNs + 1;
  EXPECT_FALSE(clock.is_due(now - 1));
  EXPECT_TRUE(clock.is_due(now));
  clock.postpone(now);
  EXPECT_FALSE(clock.is_due(now + 1));
  EXPECT_TRUE(clock.is_due(now + DeviceClock::kRenewNs));
}

TEST(DeviceClock, CountsNoDriftOfIdleTimes) {
  DeviceClock clock;
  clock.renew({0, 100}, std::nullopt);
  const TimeNs later = 600 * kNsPerS;
  clock.renew({later, later + 100}, 600'000.0 + 24.0);  // 40 parts in a million
  EXPECT_EQ(clock.error_ns(), 50);
}

TEST(PossibleSpan, LeavesPossibleTimesAlone) {
  const DeviceSpan span = possible_span({50, 70}, 10, 100);
  EXPECT_EQ(span.started_ns, 50);
  EXPECT_EQ(span.ended_ns, 70);
}

TEST(PossibleSpan, MovesImpossibleOnesToTheBounds) {
  const DeviceSpan early = possible_span({5, 8}, 10, 100);
  EXPECT_EQ(early.started_ns, 10);
  EXPECT_EQ(early.ended_ns, 10);
  const DeviceSpan late = possible_span({95, 130}, 10, 100);
  EXPECT_EQ(late.started_ns, 95);
  EXPECT_EQ(late.ended_ns, 100);
  const DeviceSpan crossed = possible_span({90, 60}, 10, 100);
  EXPECT_EQ(crossed.started_ns, 90);
  EXPECT_EQ(crossed.ended_ns, 90);
  const DeviceSpan none = possible_span({7, 9}, 20, 15);
  EXPECT_EQ(none.started_ns, 20);
  EXPECT_EQ(none.ended_ns, 20);
}

}  // namespace
}  // namespace harness

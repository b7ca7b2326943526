#include "harness/live/transport/clock_offset.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "harness/core/random_stream.h"

namespace harness {
namespace {

/// Two clocks of which everything is known: rank 0's is local + offset + drift * local + a slow swing, whose
/// steepest slope is `wander_ppm`.
struct TwoClocks {
  double offset_ns = 0;
  double drift_ppm = 0;
  double wander_ppm = 0;

  TimeNs rank0_at(TimeNs local_ns) const {
    constexpr double kSwingNs = 60e9;
    constexpr double kTurn = 2 * 3.14159265358979323846;
    const auto local = static_cast<double>(local_ns);
    const double swing = wander_ppm * 1e-6 * kSwingNs / kTurn * std::sin(kTurn * local / kSwingNs);
    return local_ns + std::llround(offset_ns + drift_ppm * 1e-6 * local + swing);
  }
};

/// Adds a round trip, sent at `local_ns`, whose two ways take the given times.
void exchange(ClockOffset& clock, const TwoClocks& truth, TimeNs local_ns, TimeNs there_ns, TimeNs back_ns) {
  clock.add(local_ns, truth.rank0_at(local_ns + there_ns), local_ns + there_ns + back_ns);
}

TEST(ClockOffset, HandComputed) {
  ClockOffset clock;
  EXPECT_FALSE(clock.known());
  EXPECT_FALSE(clock.end_burst(0));
  EXPECT_FALSE(clock.known());
  clock.add(1'000, 9'000, 5'000);   // 4 us: middle 3,000, offset 6,000
  clock.add(6'000, 10'400, 6'800);  // 0.8 us: middle 6,400, offset 4,000
  clock.add(7'000, 12'500, 8'000);  // 1 us: middle 7,500, offset 5,000
  EXPECT_TRUE(clock.end_burst(8'000));
  EXPECT_TRUE(clock.known());
  EXPECT_EQ(clock.to_rank0(6'400), 10'400);
  EXPECT_EQ(clock.to_rank0(8'000), 12'000);
  EXPECT_EQ(clock.to_local(12'000), 8'000);
  EXPECT_EQ(clock.drift_ppm(), 0);
  // Half of 0.8 us; nanoseconds for rounding.
  EXPECT_GE(clock.bound_ns(6'400), 400);
  EXPECT_LE(clock.bound_ns(6'400), 405);
  // A second later two clocks may be 200 us further apart.
  EXPECT_NEAR(static_cast<double>(clock.bound_ns(6'400 + kNsPerS)), 200'400, 5);
}

TEST(ClockOffset, DriftOfTwoBursts) {
  ClockOffset clock;
  clock.add(-1'000, 50'000, 1'000);
  clock.end_burst(1'000);
  clock.add(10 * kNsPerS - 1'000, 10 * kNsPerS + 150'000, 10 * kNsPerS + 1'000);
  clock.end_burst(10 * kNsPerS + 1'000);
  // 100 us in 10 s.
  EXPECT_NEAR(clock.drift_ppm(), 10, 1e-6);
  EXPECT_NEAR(static_cast<double>(clock.offset_ns(20 * kNsPerS)), 250'000, 5);
  // 1 us at the second burst; then 2 us in 10 s for the slope, and 1 ppm of wander twice: in the slope and
  // after it.
  EXPECT_NEAR(static_cast<double>(clock.bound_ns(20 * kNsPerS)), 1'000 + 2'000 + 20'000, 20);
}

TEST(ClockOffset, Rank0NeedsNoEstimate) {
  const ClockOffset clock = ClockOffset::of_rank0();
  EXPECT_TRUE(clock.known());
  for (const TimeNs at : {TimeNs{-5}, TimeNs{0}, 1'000 * kNsPerS}) {
    EXPECT_EQ(clock.to_rank0(at), at);
    EXPECT_EQ(clock.to_local(at), at);
    EXPECT_EQ(clock.bound_ns(at), 0);
  }
}

TEST(ClockOffset, BoundIsHalfTheSmallestRoundTrip) {
  const TwoClocks truth{1e15, 20, 0};
  TimeNs last = kNever;
  for (const TimeNs way : {800'000, 90'000, 25'000, 4'000, 300}) {
    ClockOffset clock;
    exchange(clock, truth, kNsPerS, kNsPerMs, kNsPerMs);
    exchange(clock, truth, 2 * kNsPerS, way, way);
    exchange(clock, truth, 3 * kNsPerS, 2 * kNsPerMs, 0);
    clock.end_burst(4 * kNsPerS);
    const TimeNs bound = clock.bound_ns(2 * kNsPerS + way);
    EXPECT_GE(bound, way);
    EXPECT_LE(static_cast<double>(bound), static_cast<double>(way) * (1 + 200e-6) + 5);
    EXPECT_LT(bound, last);
    last = bound;
  }
}

TEST(ClockOffset, AllDelayOnOneWayStaysWithinTheBound) {
  for (const bool there : {true, false}) {
    const TwoClocks truth{-7e14, 0, 0};
    ClockOffset clock;
    exchange(clock, truth, 1'000, there ? 60'000 : 0, there ? 0 : 60'000);
    clock.end_burst(70'000);
    const TimeNs error = std::abs(clock.to_rank0(31'000) - truth.rank0_at(31'000));
    EXPECT_EQ(error, 30'000);  // the worst that can be
    EXPECT_GE(clock.bound_ns(31'000), error);
  }
}

/// A live run with bursts of 8 round trips over 10 minutes. The delays have a floor for each way, exponential
/// queues, and now and then a sleep of milliseconds.
struct Scenario {
  TwoClocks truth;
  double floor_there_ns = 0;
  double floor_back_ns = 0;
  double queue_ns = 0;
};

Scenario draw_scenario(RandomStream& random) {
  Scenario scenario;
  scenario.truth.offset_ns = (random.uniform() - 0.5) * 2e15;
  scenario.truth.drift_ppm = (random.uniform() - 0.5) * 398;
  scenario.truth.wander_ppm = random.uniform();
  scenario.floor_there_ns = 1'000 + random.uniform() * 50'000;
  scenario.floor_back_ns = 1'000 + random.uniform() * 50'000;
  scenario.queue_ns = random.exponential() * 100'000;
  return scenario;
}

TimeNs draw_way(RandomStream& random, double floor_ns, double queue_ns) {
  const double spike_ns = random.uniform() < 0.05 ? random.exponential() * 5e6 : 0;
  return std::llround(floor_ns + queue_ns * random.exponential() + spike_ns);
}

/// Ends a burst and reads the clock until `until`: errors are within the bound, and the time never falls.
struct Reader {
  TimeNs now;
  TimeNs last;
  double worst_share = 0;  ///< largest error / bound

  void read(const ClockOffset& clock, const TwoClocks& truth, RandomStream& random, TimeNs until) {
    while (now < until) {
      const TimeNs given = clock.to_rank0(now);
      ASSERT_GE(given, last);
      last = given;
      const TimeNs error = std::abs(given - truth.rank0_at(now));
      ASSERT_LE(error, clock.bound_ns(now)) << "at " << now;
      worst_share =
          std::max(worst_share, static_cast<double>(error) / static_cast<double>(clock.bound_ns(now)));
      const TimeNs local = clock.to_local(given);
      ASSERT_LE(local, now);
      ASSERT_GE(clock.to_rank0(local), given);
      ASSERT_LT(clock.to_rank0(local - 1), given);
      now += std::llround(std::exp(random.uniform() * 21));  // 1 ns to 1 s
    }
  }
};

TEST(ClockOffset, ErrorWithinTheBoundAndNeverBackwards) {
  double worst_share = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream random(seed, "clock_offset_test");
    const Scenario scenario = draw_scenario(random);
    ClockOffset clock;
    Reader reader{std::llround(random.uniform() * 1e12), std::numeric_limits<TimeNs>::min()};
    for (int burst = 0; burst < 60; ++burst) {
      for (int i = 0; i < 8; ++i) {
        const TimeNs there = draw_way(random, scenario.floor_there_ns, scenario.queue_ns);
        const TimeNs back = draw_way(random, scenario.floor_back_ns, scenario.queue_ns);
        exchange(clock, scenario.truth, reader.now, there, back);
        const TimeNs ended = reader.now + there + back;
        if (clock.known()) reader.read(clock, scenario.truth, random, ended);
        reader.now = std::max(reader.now, ended);
        if (::testing::Test::HasFatalFailure()) return;
      }
      ASSERT_TRUE(clock.end_burst(reader.now));
      reader.read(clock, scenario.truth, random, reader.now + burst_gap_ns(burst, 10 * kNsPerS));
      if (::testing::Test::HasFatalFailure()) return;
    }
    EXPECT_EQ(clock.contradictions(), 0);
    EXPECT_NEAR(clock.drift_ppm(), scenario.truth.drift_ppm, 20);
    worst_share = std::max(worst_share, reader.worst_share);
  }
  EXPECT_GT(worst_share, 0.5);  // the bound is no fantasy number
}

TEST(ClockOffset, KnowingTheDriftKeepsTheBoundSmallBetweenBursts) {
  const TwoClocks truth{3e12, 150, 0.5};
  ClockOffset clock;
  TimeNs now = 0;
  TimeNs before_next = 0;
  for (int burst = 0; burst < 20; ++burst) {
    exchange(clock, truth, now, 30'000, 20'000);
    now += 50'000;
    clock.end_burst(now);
    now += burst_gap_ns(burst, 10 * kNsPerS);
    before_next = clock.bound_ns(now);
  }
  EXPECT_GE(before_next, 25'000);  // half the round trip
  EXPECT_LE(before_next, 65'000);  // the drift's limit alone would add 2 ms
}

TEST(ClockOffset, ASteppedClockIsNoticed) {
  TwoClocks truth{5e9, 10, 0};
  ClockOffset clock;
  TimeNs now = 0;
  TimeNs last = std::numeric_limits<TimeNs>::min();
  for (int burst = 0; burst < 8; ++burst) {
    if (burst == 4) truth.offset_ns -= 40e6;  // far more than drift could do in 10 s
    exchange(clock, truth, now, 10'000, 10'000);
    clock.end_burst(now + 20'000);
    EXPECT_GE(clock.to_rank0(now + 20'000), last);
    now += 10 * kNsPerS;
    last = clock.to_rank0(now);
  }
  EXPECT_EQ(clock.contradictions(), 4);
  // 40 ms are slewed away at 1 ms a second; the bound says what is left.
  EXPECT_LE(std::abs(clock.to_rank0(now) - truth.rank0_at(now)), clock.bound_ns(now));
  now += 30 * kNsPerS;
  EXPECT_LE(std::abs(clock.to_rank0(now) - truth.rank0_at(now)), clock.bound_ns(now));
  EXPECT_LE(clock.bound_ns(now), 300'000);
}

TEST(ClockOffset, GapsBetweenBurstsDoubleUpToThePeriod) {
  EXPECT_EQ(burst_gap_ns(0, 10 * kNsPerS), kNsPerS / 10);
  EXPECT_EQ(burst_gap_ns(3, 10 * kNsPerS), 8 * kNsPerS / 10);
  EXPECT_EQ(burst_gap_ns(7, 10 * kNsPerS), 10 * kNsPerS);
  EXPECT_EQ(burst_gap_ns(1'000'000, 10 * kNsPerS), 10 * kNsPerS);
}

}  // namespace
}  // namespace harness

#include "harness/live/run/load_generator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "harness/core/random_stream.h"
#include "workloads/arrivals/curve_arrivals.h"

namespace harness {
namespace {

std::unique_ptr<ArrivalSource> fixed(std::vector<TimeNs> times, TimeNs duration_ns) {
  return make_recorded_arrivals(std::make_shared<const std::vector<TimeNs>>(std::move(times)), duration_ns);
}

TEST(LoadGenerator, HandsOutWhatIsDue) {
  LoadGenerator generator(fixed({0, 100, 100, 250}, 1'000));
  LoadGenerator::DueRequest due;
  EXPECT_EQ(generator.next_send_ns(), 0);
  EXPECT_FALSE(generator.take(-1, due));
  ASSERT_TRUE(generator.take(30, due));
  EXPECT_EQ(due.request, 0U);
  EXPECT_EQ(due.scheduled_ns, 0);
  EXPECT_EQ(due.schedule_lag_ns, 30);
  EXPECT_EQ(generator.next_send_ns(), 100);
  EXPECT_FALSE(generator.take(99, due));
  ASSERT_TRUE(generator.take(100, due));
  EXPECT_EQ(due.schedule_lag_ns, 0);
  ASSERT_TRUE(generator.take(107, due));  // the one before took 7 ns
  EXPECT_EQ(due.request, 2U);
  EXPECT_EQ(due.scheduled_ns, 100);
  EXPECT_EQ(due.schedule_lag_ns, 7);
  EXPECT_FALSE(generator.take(249, due));
  EXPECT_FALSE(generator.done());
  ASSERT_TRUE(generator.take(1'250, due));
  EXPECT_EQ(due.schedule_lag_ns, 1'000);
  EXPECT_TRUE(generator.done());
  EXPECT_EQ(generator.next_send_ns(), kNever);
  EXPECT_FALSE(generator.take(kNever, due));
  EXPECT_EQ(generator.sent(), 4U);
  EXPECT_EQ(generator.schedule_lag().total(), 4U);
  EXPECT_EQ(generator.max_schedule_lag_ns(), 1'000);
}

TEST(LoadGenerator, AnEmptyLoadIsDone) {
  LoadGenerator generator(fixed({}, 1'000));
  LoadGenerator::DueRequest due;
  EXPECT_TRUE(generator.done());
  EXPECT_FALSE(generator.take(1'000'000, due));
  EXPECT_EQ(generator.max_schedule_lag_ns(), 0);
}

TEST(LoadGenerator, AStallMakesRequestsLateAndLosesNone) {
  // A request a millisecond; the caller sleeps through 300 of them, then needs 10 us for each.
  std::vector<TimeNs> times;
  for (TimeNs i = 0; i < 1'000; ++i) times.push_back(i * kNsPerMs);
  LoadGenerator generator(fixed(times, kNsPerS));
  LoadGenerator::DueRequest due;
  TimeNs now = 0;
  std::vector<TimeNs> lags;
  while (!generator.done()) {
    while (generator.take(now, due)) {
      EXPECT_EQ(due.scheduled_ns, times[lags.size()]);
      EXPECT_EQ(due.request, lags.size());
      lags.push_back(now - due.scheduled_ns);
      EXPECT_EQ(due.schedule_lag_ns, lags.back());
      now += 10 * kNsPerUs;
    }
    now = std::max(now, generator.next_send_ns());
    if (generator.sent() == 500) now += 300 * kNsPerMs;
  }
  ASSERT_EQ(lags.size(), times.size());
  // Request 500 waits 300 ms, 501 waits 299.01 ms, and so on: 304 are late before the backlog is gone.
  EXPECT_EQ(generator.max_schedule_lag_ns(), 300 * kNsPerMs);
  EXPECT_EQ(std::count_if(lags.begin(), lags.end(), [](TimeNs ns) { return ns > 0; }), 304);
  std::sort(lags.begin(), lags.end());
  for (const double q : {0.5, 0.9, 0.99}) {
    const TimeNs exact = lags[static_cast<std::size_t>(q * 1'000) - 1];
    EXPECT_GE(generator.schedule_lag().quantile(q), exact);
    EXPECT_LE(static_cast<double>(generator.schedule_lag().quantile(q)),
              static_cast<double>(exact) * 1.008 + 32);
  }
}

TEST(LoadGenerator, SmallChunksYieldTheSameTimes) {
  RandomStream random(5, "load_generator_test");
  std::vector<TimeNs> times;
  TimeNs at = 0;
  for (int i = 0; i < 10'000; ++i) times.push_back(at += static_cast<TimeNs>(random.below(200'000)));
  for (const std::size_t chunk : {std::size_t{1}, std::size_t{64}, ArrivalCursor::kChunk}) {
    ArrivalCursor cursor(fixed(times, at + 1), chunk);
    for (const TimeNs time : times) {
      ASSERT_EQ(cursor.next_ns(), time);
      cursor.advance();
    }
    EXPECT_EQ(cursor.next_ns(), kNever);
  }
}

}  // namespace
}  // namespace harness

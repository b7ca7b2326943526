#include "harness/record/run/queue_trend.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <string>

#include "harness/core/random_stream.h"

namespace harness {
namespace {

constexpr TimeNs kSloNs = 500 * kNsPerMs;

/// Returns the record of a run in which 100 requests/s are sent for 100 s; the queue at sample i is
/// `length(i)`.
RunRecord record_of(const std::function<double(int)>& length, TimeNs from_ns = 0) {
  RunRecord record;
  record.duration_ns = 100 * kNsPerS;
  record.measured_from_ns = from_ns;
  record.slo_ns = kSloNs;
  record.sent = static_cast<std::uint64_t>(100 * ns_to_s(record.measured_ns()));
  for (int i = 0; i < static_cast<int>(kQueueSamples); ++i)
    record.queue_samples.push_back(std::llround(length(i)));
  return record;
}

const char* name_of(const RunRecord& record) { return harness::name_of(queue_trend(record), record); }

TEST(QueueTrend, OfAStraightLineIsItsSlope) {
  // 3 visits more at each sample, which are 1 s apart.
  const QueueTrend trend = queue_trend(record_of([](int i) { return 3.0 * i; }));
  EXPECT_NEAR(trend.growth, 3, 1e-12);
  EXPECT_NEAR(trend.low, 3, 1e-6);
  EXPECT_NEAR(trend.high, 3, 1e-6);
  const QueueTrend measured = queue_trend(record_of([](int i) { return 3.0 * i; }, 50 * kNsPerS));
  EXPECT_NEAR(measured.growth, 6, 1e-12) << "the samples are half a second apart";
}

/// Returns a record as record_of does, with these means of the ten parts.
RunRecord record_of_means(const std::array<double, 10>& means) {
  return record_of([&](int i) { return means[static_cast<std::size_t>(i) / 10]; });
}

// The load of a day: the queue is longer in the second half, and at the end nearly as short as at the start.
TEST(QueueTrend, AQueueThatIsShortAgainAtTheEndHasNotGrown) {
  const RunRecord record = record_of_means({100, 100, 100, 100, 100, 104, 108, 108, 106, 104});
  const QueueTrend trend = queue_trend(record);
  EXPECT_GT(trend.low, 0);
  EXPECT_GT(trend.growth * 100, 5) << "large by the line: at 100 requests/s 5 visits are 50 ms";
  EXPECT_NEAR(trend.rise, 4, 1e-9);
  EXPECT_STREQ(name_of(record), "unclear");
}

// After a peak a long queue empties: it is longer than at the start, and will not be for long.
TEST(QueueTrend, AQueueThatHasLostHalfOfItsPeakHasNotGrown) {
  const RunRecord record = record_of_means({166, 193, 202, 136, 126, 182, 660, 2631, 3338, 1445});
  const QueueTrend trend = queue_trend(record);
  EXPECT_GT(trend.low, 0);
  EXPECT_NEAR(trend.rise, 1279, 1e-9);
  EXPECT_NEAR(trend.peak, 3172, 1e-9);
  EXPECT_STREQ(name_of(record), "unclear");
}

// One step up and one at the end rise by 6 visits, the line by 3.3.
TEST(QueueTrend, IsLargeByTheLineToo) {
  const RunRecord record = record_of_means({100, 103, 103, 103, 103, 103, 103, 103, 103, 106});
  const QueueTrend trend = queue_trend(record);
  EXPECT_GT(trend.low, 0);
  EXPECT_LT(trend.growth * 100, 5);
  EXPECT_NEAR(trend.rise, 6, 1e-9);
  EXPECT_STRNE(name_of(record), "growing");
}

TEST(QueueTrend, IsLargeFromATenthOfTheSloOn) {
  // At 100 requests/s a queue of 5 visits is a wait of 50 ms. The means of the first and the last tenth are
  // 90 samples apart.
  EXPECT_STREQ(name_of(record_of([](int i) { return 1000 + 0.2 * i; })), "growing");
  EXPECT_STREQ(name_of(record_of([](int i) { return 1000 + 0.02 * i; })), "steady");
  EXPECT_STREQ(name_of(record_of([](int i) { return 1000 - 5.0 * i; })), "steady");
  EXPECT_STREQ(name_of(record_of([](int) { return 0.0; })), "steady");
}

TEST(QueueTrend, WithoutSamplesOrRequestsThereIsNone) {
  RunRecord record = record_of([](int i) { return 3.0 * i; });
  record.sent = 0;
  EXPECT_STREQ(name_of(record), "");
  EXPECT_TRUE(std::isnan(queue_trend(record).low));
  record = record_of([](int i) { return 3.0 * i; });
  record.queue_samples.clear();  // as read from an older file
  EXPECT_STREQ(name_of(record), "");
}

// Least squares of independent batch means: the interval holds the slope, 0, in 95 % of the runs.
TEST(QueueTrend, ItsIntervalCoversTheSlope) {
  constexpr int kRuns = 4000;
  int covered = 0;
  for (int run = 0; run < kRuns; ++run) {
    RandomStream random(7, "run " + std::to_string(run));
    const QueueTrend trend = queue_trend(record_of([&random](int) { return 1000 + 300 * random.uniform(); }));
    covered += trend.low <= 0 && trend.high >= 0 ? 1 : 0;
  }
  EXPECT_GE(covered, kRuns * 0.94);
}

// A queue that forgets its length within a twentieth of the run.
TEST(QueueTrend, ItsIntervalBearsSomeCorrelation) {
  constexpr int kRuns = 2000;
  constexpr double kKept = 0.8;  // from a sample to the next
  int covered = 0;
  for (int run = 0; run < kRuns; ++run) {
    RandomStream random(8, "run " + std::to_string(run));
    double away = 0;
    for (int i = 0; i < 100; ++i) away = kKept * away + random.uniform() - 0.5;
    const auto next = [&](int) { return 1000 + 100 * (away = kKept * away + random.uniform() - 0.5); };
    const QueueTrend trend = queue_trend(record_of(next));
    covered += trend.low <= 0 && trend.high >= 0 ? 1 : 0;
  }
  EXPECT_GE(covered, kRuns * 0.85);
}

// Arrivals at a rate 5 % above the service rate, both at random, are never called steady.
TEST(QueueTrend, OfAnOverloadIsSeen) {
  int growing = 0;
  for (int run = 0; run < 200; ++run) {
    RandomStream random(9, "run " + std::to_string(run));
    double queue = 0;
    const auto next = [&](int) {
      queue = std::max(0.0, queue + 5 + 50 * (random.uniform() + random.uniform() - 1));
      return queue;
    };
    const RunRecord record = record_of(next);
    EXPECT_STRNE(name_of(record), "steady") << run;
    growing += std::string(name_of(record)) == "growing" ? 1 : 0;
  }
  EXPECT_GE(growing, 150);
}

}  // namespace
}  // namespace harness

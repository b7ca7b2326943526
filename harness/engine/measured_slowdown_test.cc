#include "harness/engine/measured_slowdown.h"

#include <gtest/gtest.h>

#include "harness/core/random_stream.h"

namespace harness {
namespace {

TEST(MeasuredSlowdown, WithoutBatchesTheProfileHolds) {
  const MeasuredSlowdown slowdown({});
  EXPECT_EQ(slowdown.duration_ns(0, 0, 100), 100);
  EXPECT_EQ(slowdown.duration_ns(7, 1000, 1), 1);
}

TEST(MeasuredSlowdown, OneBatchIsTheSlowdownOfAllTime) {
  const MeasuredSlowdown slowdown({{0, 1000, 1150, 100}});
  for (const TimeNs now : {0, 1000, 1100, 5000}) EXPECT_EQ(slowdown.duration_ns(0, now, 200), 300) << now;
}

/// Slowdown 2 until 150 (the middle of the gap from 100 to 200) and 0.5 after it.
TEST(MeasuredSlowdown, ABatchAcrossTwoPiecesByHand) {
  const MeasuredSlowdown slowdown({{3, 0, 100, 50}, {3, 200, 300, 200}});
  EXPECT_EQ(slowdown.duration_ns(3, 0, 75), 150);
  EXPECT_EQ(slowdown.duration_ns(3, 0, 50), 100);
  EXPECT_EQ(slowdown.duration_ns(3, 50, 50), 100);
  EXPECT_EQ(slowdown.duration_ns(3, 50, 150),
            100 + 50);  // 50 of it at slowdown 2, the other 100 at slowdown 0.5
  EXPECT_EQ(slowdown.duration_ns(3, 150, 100), 50);
  EXPECT_EQ(slowdown.duration_ns(3, 900, 100), 50);
}

/// 300 ns for a profile's 200 in all.
TEST(MeasuredSlowdown, AWorkerWithoutBatchesHasTheSlowdownOfAllTogether) {
  const MeasuredSlowdown slowdown({{1, 0, 100, 100}, {4, 0, 200, 100}});
  EXPECT_EQ(slowdown.duration_ns(1, 0, 100), 100);
  EXPECT_EQ(slowdown.duration_ns(4, 0, 100), 200);
  for (const WorkerId worker : {0, 2, 3, 5, 900})
    EXPECT_EQ(slowdown.duration_ns(worker, 0, 100), 150) << worker;
}

VisitRow visit(WorkerId worker, TimeNs started_ns, TimeNs ended_ns, int batch) {
  VisitRow row;
  row.worker = worker;
  row.started_ns = started_ns;
  row.ended_ns = ended_ns;
  row.batch = static_cast<std::uint16_t>(batch);
  row.outcome = VisitOutcome::kDone;
  return row;
}

/// Two visits of one batch, one of the batch after it, which a clock that is off has begin 5 ns too early,
/// one that took no time, and one that was dropped.
TEST(MeasuredSlowdown, BatchesOfTheRowsOfVisits) {
  Profile profile;
  profile.latency_ns = {60, 90};
  std::vector<VisitRow> rows = {visit(1, 0, 100, 2),  visit(0, 30, 80, 1), visit(1, 0, 100, 2),
                                visit(1, 95, 160, 1), visit(0, 80, 80, 1), visit(0, 200, 300, 1)};
  rows.back().outcome = VisitOutcome::kDropped;
  const std::vector<MeasuredBatch> batches = measured_batches(rows, {profile});
  ASSERT_EQ(batches.size(), 3u);
  EXPECT_EQ(batches[0].worker, 0u);
  EXPECT_EQ(batches[0].ended_ns, 80);
  EXPECT_EQ(batches[1].size, 2);
  EXPECT_EQ(batches[1].profile_ns, 90);
  EXPECT_DOUBLE_EQ(batches[1].slowdown(), 100 / 90.0);
  EXPECT_EQ(batches[2].started_ns, 100);
  EXPECT_DOUBLE_EQ(batches[2].slowdown(), 1.0);
}

/// Whatever the batches, the same ones started at the same times take what they took.
TEST(MeasuredSlowdown, RepeatsTheBatchesThatItWasMadeOf) {
  RandomStream random(20260101, "pace", 0);
  for (int round = 0; round < 200; ++round) {
    std::vector<MeasuredBatch> batches;
    for (WorkerId worker = 0; worker < 3; ++worker) {
      TimeNs at = static_cast<TimeNs>(random.below(1000));
      for (std::uint64_t left = random.below(20); left > 0; --left) {
        const auto took = static_cast<TimeNs>(1 + random.below(100'000));
        batches.push_back({worker, at, at + took, static_cast<TimeNs>(1 + random.below(100'000))});
        at += took + static_cast<TimeNs>(random.below(3) * random.below(50'000));
      }
    }
    const MeasuredSlowdown slowdown(batches);
    for (const MeasuredBatch& batch : batches) {
      const TimeNs took = batch.ended_ns - batch.started_ns;
      EXPECT_NEAR(static_cast<double>(slowdown.duration_ns(batch.worker, batch.started_ns, batch.profile_ns)),
                  static_cast<double>(took), 1);
    }
  }
}

/// Work is neither lost nor made: a batch takes as long as its two halves one after the other.
TEST(MeasuredSlowdown, PartsTakeAsLongAsTheWhole) {
  RandomStream random(20260102, "pace", 0);
  std::vector<MeasuredBatch> batches;
  for (TimeNs at = 0; batches.size() < 50;) {
    const auto took = static_cast<TimeNs>(50'000 + random.below(50'000));
    batches.push_back({0, at, at + took, static_cast<TimeNs>(50'000 + random.below(50'000))});
    at += took + static_cast<TimeNs>(random.below(50'000));
  }
  const MeasuredSlowdown slowdown(batches);
  for (int round = 0; round < 1000; ++round) {
    const auto now = static_cast<TimeNs>(random.below(4'000'000));
    const auto first = static_cast<TimeNs>(1 + random.below(200'000));
    const auto second = static_cast<TimeNs>(1 + random.below(200'000));
    const TimeNs between = now + slowdown.duration_ns(0, now, first);
    const TimeNs end = between + slowdown.duration_ns(0, between, second);
    // Half a nanosecond of rounding between them moves the end by four times that at most: slowdowns of 0.5
    // to 2.
    EXPECT_NEAR(static_cast<double>(now + slowdown.duration_ns(0, now, first + second)),
                static_cast<double>(end), 3.0);
  }
}

}  // namespace
}  // namespace harness

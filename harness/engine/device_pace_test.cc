#include "harness/engine/device_pace.h"

#include <gtest/gtest.h>

#include "harness/core/random.h"

namespace harness {
namespace {

TEST(DevicePace, WithoutBatchesTheProfileHolds) {
  const DevicePace pace({});
  EXPECT_EQ(pace.duration_ns(0, 0, 100), 100);
  EXPECT_EQ(pace.duration_ns(7, 1000, 1), 1);
}

TEST(DevicePace, OneBatchIsThePaceOfAllTime) {
  const DevicePace pace({{0, 1000, 1150, 100}});
  for (const TimeNs now : {0, 1000, 1100, 5000}) EXPECT_EQ(pace.duration_ns(0, now, 200), 300) << now;
}

/// Paces 2 until 150 (the middle of the gap from 100 to 200) and 0.5 after it.
TEST(DevicePace, ABatchAcrossTwoPiecesByHand) {
  const DevicePace pace({{3, 200, 300, 200}, {3, 0, 100, 50}});
  EXPECT_EQ(pace.duration_ns(3, 0, 75), 150);
  EXPECT_EQ(pace.duration_ns(3, 0, 50), 100);
  EXPECT_EQ(pace.duration_ns(3, 50, 50), 100);
  EXPECT_EQ(pace.duration_ns(3, 50, 150), 100 + 50);  // 50 of it at pace 2, the other 100 at pace 0.5
  EXPECT_EQ(pace.duration_ns(3, 150, 100), 50);
  EXPECT_EQ(pace.duration_ns(3, 900, 100), 50);
}

/// 300 ns for a profile's 200 in all.
TEST(DevicePace, AWorkerWithoutBatchesHasThePaceOfAllTogether) {
  const DevicePace pace({{1, 0, 100, 100}, {4, 0, 200, 100}});
  EXPECT_EQ(pace.duration_ns(1, 0, 100), 100);
  EXPECT_EQ(pace.duration_ns(4, 0, 100), 200);
  for (const WorkerId worker : {0, 2, 3, 5, 900}) EXPECT_EQ(pace.duration_ns(worker, 0, 100), 150) << worker;
}

/// Whatever the batches, the same ones started at the same times take what they took.
TEST(DevicePace, RepeatsTheBatchesThatItWasMadeOf) {
  RandomStream random(20260101, "pace", 0);
  for (int round = 0; round < 200; ++round) {
    std::vector<PacedBatch> batches;
    for (WorkerId worker = 0; worker < 3; ++worker) {
      TimeNs at = static_cast<TimeNs>(random.below(1000));
      for (std::uint64_t left = random.below(20); left > 0; --left) {
        const auto took = static_cast<TimeNs>(1 + random.below(100'000));
        batches.push_back({worker, at, at + took, static_cast<TimeNs>(1 + random.below(100'000))});
        at += took + static_cast<TimeNs>(random.below(3) * random.below(50'000));
      }
    }
    const DevicePace pace(batches);
    for (const PacedBatch& batch : batches) {
      const TimeNs took = batch.ended_ns - batch.started_ns;
      EXPECT_NEAR(static_cast<double>(pace.duration_ns(batch.worker, batch.started_ns, batch.profile_ns)),
                  static_cast<double>(took), 1);
    }
  }
}

/// Work is neither lost nor made: a batch takes as long as its two halves one after the other.
TEST(DevicePace, PartsTakeAsLongAsTheWhole) {
  RandomStream random(20260102, "pace", 0);
  std::vector<PacedBatch> batches;
  for (TimeNs at = 0; batches.size() < 50;) {
    const auto took = static_cast<TimeNs>(1000 + random.below(100'000));
    batches.push_back({0, at, at + took, static_cast<TimeNs>(1000 + random.below(100'000))});
    at += took + static_cast<TimeNs>(random.below(50'000));
  }
  const DevicePace pace(batches);
  for (int round = 0; round < 1000; ++round) {
    const auto now = static_cast<TimeNs>(random.below(4'000'000));
    const auto first = static_cast<TimeNs>(1 + random.below(200'000));
    const auto second = static_cast<TimeNs>(1 + random.below(200'000));
    const TimeNs between = now + pace.duration_ns(0, now, first);
    const TimeNs end = between + pace.duration_ns(0, between, second);
    // Rounding to a nanosecond between them moves the end by less than the ratio of the extreme paces, 1e4.
    EXPECT_NEAR(static_cast<double>(now + pace.duration_ns(0, now, first + second)), static_cast<double>(end),
                1.0 + 1e4);
  }
}

}  // namespace
}  // namespace harness

#include "systems/loki/backup.h"

#include <gtest/gtest.h>

#include <vector>

#include "harness/core/random_stream.h"

namespace harness {
namespace {

// Checks the definition over random tables: a slower or a full worker is never chosen, no more accurate
// worker would do, and no worker is chosen only if no worker will do.
TEST(ChooseBackup, IsTheMostAccurateThatIsFastAndFree) {
  RandomStream random(1, "choose");
  int chosen_count = 0;
  for (int round = 0; round < 20000; ++round) {
    std::vector<Backup> backups(random.below(8));
    for (Backup& backup : backups) {
      backup = {0, random.below(3) == 0 ? 0.0 : random.uniform(), static_cast<double>(random.below(4)) / 4,
                static_cast<TimeNs>(random.below(10))};
    }
    const auto limit = static_cast<TimeNs>(random.below(12)) - 1;
    const std::uint32_t chosen = choose_backup(backups, limit, random);
    const auto will_do = [&](const Backup& backup) {
      return backup.leftover_rps > 0 && backup.exec_ns <= limit;
    };
    if (chosen != kNone) {
      ++chosen_count;
      ASSERT_TRUE(will_do(backups[chosen]));
    }
    for (const Backup& backup : backups) {
      if (!will_do(backup)) continue;
      ASSERT_NE(chosen, kNone);
      EXPECT_LE(backup.accuracy, backups[chosen].accuracy);
    }
  }
  EXPECT_GT(chosen_count, 5000);
}

// Four equals, the first of them after a worse one; Pearson's statistic of three degrees of freedom is above
// 16.27 with probability 0.001.
TEST(ChooseBackup, BreaksTiesAtRandom) {
  const std::vector<Backup> backups = {{0, 1, 0.5, 1},  {1, 1, 0.9, 1}, {2, 1, 0.9, 2}, {3, 1, 0.9, 1},
                                       {4, 1, 0.9, 99}, {5, 1, 0.9, 1}, {6, 0, 0.9, 1}};
  std::vector<int> count(7);
  for (std::uint64_t visit = 0; visit < 40000; ++visit) {
    RandomStream random(1, "ties", visit);
    ++count[choose_backup(backups, 10, random)];
  }
  double statistic = 0;
  for (const std::size_t equal : std::vector<std::size_t>{1, 2, 3, 5})
    statistic += (count[equal] - 10000.0) * (count[equal] - 10000.0) / 10000;
  EXPECT_LT(statistic, 16.27);
  EXPECT_EQ(count[0] + count[4] + count[6], 0);
}

}  // namespace
}  // namespace harness

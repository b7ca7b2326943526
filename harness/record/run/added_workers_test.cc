#include "harness/record/run/added_workers.h"

#include <gtest/gtest.h>

#include <cmath>

#include "harness/record/run/summary_row.h"
#include "harness/record/run/worker_metrics.h"

namespace harness {
namespace {

WorkerTotals worker(double added_s, double ready_s, TimeNs removed_ns, bool from_memory) {
  WorkerTotals totals;
  totals.added_ns = s_to_ns(added_s);
  totals.ready_ns = s_to_ns(ready_s);
  totals.removed_ns = removed_ns;
  totals.from_memory = from_memory;
  return totals;
}

// Two from memory in 0.8 s and 1 s, two from disk in 5.6 s and 6.4 s. What was warm at the start, taken away
// in its start-up, still starting at the end or without a GPU until then has no start-up time.
TEST(AddedWorkers, BySource) {
  RunRecord record;
  record.duration_ns = 30 * kNsPerS;
  record.end_ns = 30 * kNsPerS;
  record.workers = {worker(0, 0, kNever, false), worker(1, 1.8, kNever, true),
                    worker(2, 3, 9 * kNsPerS, true), worker(3, 8.6, kNever, false),
                    worker(4, 10.4, kNever, false)};
  record.workers.push_back(worker(5, 7, 7 * kNsPerS, true));
  record.workers.push_back(worker(29, 29, kNever, false));
  record.workers.back().ready_ns = kNever;
  record.workers.push_back(record.workers.back());
  record.workers.back().added_ns = kNever;
  const AddedWorkers added = added_workers(record);
  EXPECT_EQ(added.count, 6u);
  EXPECT_EQ(added.from_memory, 3u);
  EXPECT_DOUBLE_EQ(added.ms_from_memory, 900);
  EXPECT_DOUBLE_EQ(added.ms_from_disk, 6000);
  const SummaryRow row = summarise({}, {record});
  EXPECT_EQ(row["workers_added"], 6);
  EXPECT_EQ(row["workers_added_from_memory"], 3);
  EXPECT_DOUBLE_EQ(row["start_up_ms_from_memory"], 900);
  EXPECT_DOUBLE_EQ(row["start_up_ms_from_disk"], 6000);
}

// Workers added in the warm-up do not count; a worker that comes as the measured part begins does.
TEST(AddedWorkers, OfTheMeasuredPart) {
  RunRecord record;
  record.duration_ns = 30 * kNsPerS;
  record.measured_from_ns = 10 * kNsPerS;
  record.workers = {worker(0, 0, kNever, false), worker(9, 10, kNever, false), worker(10, 12, kNever, false),
                    worker(20, 23, kNever, false)};
  EXPECT_EQ(added_workers(record).count, 2U);
  EXPECT_DOUBLE_EQ(added_workers(record).ms_from_disk, 2500);
  EXPECT_DOUBLE_EQ(first_added_s(record), 10);
  // The first two can serve for all of the 20 s, the third for 18 s and the last for 7 s.
  EXPECT_DOUBLE_EQ(workers_mean(record), 65.0 / 20);
  EXPECT_DOUBLE_EQ(workers_min_10s(record), 2.8);
}

TEST(AddedWorkers, WithoutAnyThereIsNoTime) {
  RunRecord record;
  record.duration_ns = kNsPerS;
  record.workers = {worker(0, 0, kNever, false)};
  EXPECT_EQ(added_workers(record).count, 0u);
  EXPECT_TRUE(std::isnan(added_workers(record).ms_from_disk));
  EXPECT_TRUE(std::isnan(added_workers(record).ms_from_memory));
}

}  // namespace
}  // namespace harness

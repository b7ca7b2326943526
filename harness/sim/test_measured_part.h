// Comparison of a run of which only a part is measured with the rows of the same run.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "harness/engine/bounds/fluid_bound.h"
#include "harness/engine/bounds/offline_schedule.h"
#include "harness/sim/test_run.h"

namespace harness::testing {

inline void expect_requests_of(const RunRecord& record, const std::vector<RequestRow>& rows) {
  RequestCounts counts;
  TimeNs latency_ns = 0;
  TimeNs gpu_ns = 0;
  std::map<std::int64_t, std::uint64_t> sent;  // number of requests by window
  for (const RequestRow& row : rows) {
    if (row.sent_ns < record.measured_from_ns) continue;
    ++counts.sent;
    ++sent[row.sent_ns / record.window_ns];
    counts.in_time += row.outcome == Outcome::kInTime ? 1 : 0;
    counts.late += row.outcome == Outcome::kLate ? 1 : 0;
    counts.dropped += row.outcome == Outcome::kDropped ? 1 : 0;
    if (row.outcome != Outcome::kDropped) latency_ns += row.end_ns - row.sent_ns;
    gpu_ns += row.gpu_ns;
  }
  EXPECT_EQ(record.sent, counts.sent);
  EXPECT_EQ(record.in_time, counts.in_time);
  EXPECT_EQ(record.late, counts.late);
  EXPECT_EQ(record.dropped, counts.dropped);
  EXPECT_EQ(record.latency_sum_ns, latency_ns);
  EXPECT_EQ(record.latency.total(), counts.in_time + counts.late);
  for (std::size_t i = 0; i < record.windows.size(); ++i)
    EXPECT_EQ(record.windows[i].sent, sent[static_cast<std::int64_t>(i)]) << "window " << i;
  std::uint64_t preempted = 0;
  for (const ModuleTotals& module : record.modules) preempted += module.preempted;
  if (preempted == 0) {
    EXPECT_EQ(record.gpu_ns, gpu_ns) << "a preempted batch is no request's";
  }
}

inline void expect_visits_of(const RunRecord& record, const RowKeeper& rows) {
  std::set<std::uint64_t> measured;
  for (const RequestRow& row : rows.request_rows) {
    if (row.sent_ns >= record.measured_from_ns) measured.insert(row.request);
  }
  std::vector<ModuleTotals> modules(record.modules.size());
  for (const VisitRow& row : rows.visit_rows) {
    if (!measured.contains(row.request)) continue;
    ModuleTotals& module = modules[row.module];
    ++module.arrived;
    if (row.outcome == VisitOutcome::kDone) {
      ++module.done;
      module.exec_ns += row.ended_ns - row.started_ns;
    }
    module.cancelled += row.outcome == VisitOutcome::kCancelled ? 1 : 0;
    if (row.outcome == VisitOutcome::kDropped) ++module.dropped[static_cast<std::size_t>(row.reason)];
  }
  std::vector<std::uint64_t> in_windows(modules.size(), 0);
  for (std::size_t i = 0; i < record.module_windows.size(); ++i)
    in_windows[i % modules.size()] += record.module_windows[i].arrived;
  for (std::size_t m = 0; m < modules.size(); ++m) {
    SCOPED_TRACE("module " + std::to_string(m));
    EXPECT_EQ(record.modules[m].arrived, modules[m].arrived);
    EXPECT_EQ(record.modules[m].done, modules[m].done);
    EXPECT_EQ(record.modules[m].exec_ns, modules[m].exec_ns);
    EXPECT_EQ(record.modules[m].cancelled, modules[m].cancelled);
    EXPECT_EQ(record.modules[m].dropped, modules[m].dropped);
    EXPECT_GE(record.modules[m].queueing_delay.total(), modules[m].done);
    EXPECT_EQ(record.modules[m].queueing_delay.total(), record.modules[m].batch_wait.total());
  }
}

/// Expects the samples to count the visits that had arrived and had not started, in a run without preemption.
inline void expect_queue_of(const RunRecord& record, const std::vector<VisitRow>& rows) {
  ASSERT_EQ(record.queue_samples.size(), kQueueSamples);
  std::vector<TimeNs> times;
  for (std::size_t i = 0; i < kQueueSamples; ++i) times.push_back(queue_sample_ns(record, i));
  std::vector<std::int64_t> change(kQueueSamples + 1, 0);
  for (const VisitRow& row : rows) {
    const auto first_after = [&times](TimeNs at_ns) {
      return std::upper_bound(times.begin(), times.end(), at_ns) - times.begin();
    };
    ++change[static_cast<std::size_t>(first_after(row.arrived_ns))];
    --change[static_cast<std::size_t>(first_after(row.left_queue_ns()))];
  }
  std::int64_t waiting = 0;
  for (std::size_t i = 0; i < kQueueSamples; ++i)
    ASSERT_EQ(record.queue_samples[i], waiting += change[i]) << "sample " << i;
}

inline TimeNs busy_time_ns(const RunRecord& record) {
  TimeNs sum_ns = 0;
  for (const WorkerTotals& worker : record.workers) sum_ns += worker.busy_ns;
  return sum_ns;
}

/// Returns the time of the batches in which these visits ran, from `from_ns` on.
inline TimeNs busy_time_ns(const std::vector<VisitRow>& rows, TimeNs from_ns) {
  std::map<std::pair<std::uint32_t, TimeNs>, TimeNs> ends;  // ends of batches by worker and start
  for (const VisitRow& row : rows) {
    if (row.ran()) ends[{row.worker, row.started_ns}] = row.ended_ns;
  }
  TimeNs sum_ns = 0;
  for (const auto& [batch, end_ns] : ends)
    sum_ns += std::max<TimeNs>(end_ns - std::max(batch.second, from_ns), 0);
  return sum_ns;
}

/// Repeats the run `whole` with the requests before `from_ns` as a warm-up, and expects the other requests
/// alone to count.
inline void expect_measured_part(RunSpec& spec, const Ran& whole, TimeNs from_ns) {
  spec.measured_from_ns = from_ns;
  const RunRecord record = simulate(spec, nullptr);
  EXPECT_EQ(record.fingerprint, whole.record.fingerprint);
  expect_requests_of(record, whole.rows.request_rows);
  expect_visits_of(record, whole.rows);
  const auto preempts = [](const ModuleTotals& module) { return module.preempted > 0; };
  // If messages take time, a start is counted only after the samples that follow it.
  const bool hears_at_once = spec.faults.empty() && spec.world.scheduler_cost == SchedulerCost::kFree;
  if (hears_at_once && std::ranges::none_of(whole.record.modules, preempts)) {
    expect_queue_of(record, whole.rows.visit_rows);
    expect_queue_of(whole.record, whole.rows.visit_rows);
  }
  // The time of preempted batches is in no row.
  if (busy_time_ns(whole.record) == busy_time_ns(whole.rows.visit_rows, 0)) {
    EXPECT_EQ(busy_time_ns(record), busy_time_ns(whole.rows.visit_rows, from_ns));
  }
  const std::uint64_t bound = fluid_bound(spec, record);
  EXPECT_LE(record.in_time, bound);
  EXPECT_LE(bound, record.sent);
  EXPECT_LE(offline_schedule(spec, record).value_or(0), bound);
  spec.measured_from_ns = 0;
}

}  // namespace harness::testing

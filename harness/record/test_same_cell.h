// What a cell that was written and read again must have in common with the run.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <variant>
#include <vector>

#include "harness/record/results_file.h"
#include "harness/record/synthetic_run.h"

namespace harness {

inline bool same_number(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

inline void expect_same_columns(SummaryRow a, SummaryRow b) {
  std::vector<std::string> texts;
  const auto text = [](SummaryRow::ColumnPointer pointer) {
    return std::visit([](auto* value) { return ::testing::PrintToString(*value); }, pointer);
  };
  a.list(
      [&](const char*, const char*, SummaryRow::ColumnPointer pointer) { texts.push_back(text(pointer)); });
  std::size_t column = 0;
  b.list([&](const char* name, const char*, SummaryRow::ColumnPointer pointer) {
    EXPECT_EQ(texts[column++], text(pointer)) << name;
  });
  EXPECT_EQ(a.goodput_rps, b.goodput_rps);
  EXPECT_EQ(a.drop_rate, b.drop_rate);
}

inline void expect_same_request(const RequestRow& a, const RequestRow& b) {
  ASSERT_EQ(a.request, b.request);
  ASSERT_EQ(a.sent_ns, b.sent_ns);
  ASSERT_EQ(a.end_ns, b.end_ns);
  ASSERT_EQ(a.gpu_ns, b.gpu_ns);
  ASSERT_EQ(a.module, b.module);
  ASSERT_EQ(a.outcome, b.outcome);
  ASSERT_EQ(a.reason, b.reason);
  ASSERT_EQ(a.lateness_ns, b.lateness_ns);
  ASSERT_EQ(a.stream, b.stream);
  ASSERT_EQ(a.slo_ns, b.slo_ns);
  ASSERT_TRUE(same_number(a.accuracy, b.accuracy)) << a.accuracy << " " << b.accuracy;
}

inline void expect_same_visit(const VisitRow& a, const VisitRow& b) {
  ASSERT_EQ(a.request, b.request);
  ASSERT_EQ(a.arrived_ns, b.arrived_ns);
  ASSERT_EQ(a.joined_ns, b.joined_ns);
  ASSERT_EQ(a.started_ns, b.started_ns);
  ASSERT_EQ(a.ended_ns, b.ended_ns);
  ASSERT_EQ(a.worker, b.worker);
  ASSERT_EQ(a.visit, b.visit);
  ASSERT_EQ(a.parent, b.parent);
  ASSERT_EQ(a.module, b.module);
  ASSERT_EQ(a.batch, b.batch);
  ASSERT_EQ(a.outcome, b.outcome);
  ASSERT_EQ(a.reason, b.reason);
}

inline void expect_same_module(const ModuleTotals& a, const ModuleTotals& b) {
  EXPECT_EQ(a.depth, b.depth);
  EXPECT_EQ(a.last, b.last);
  EXPECT_EQ(a.visit_share, b.visit_share);
  EXPECT_TRUE(same_number(a.accuracy, b.accuracy)) << a.accuracy << " " << b.accuracy;
  EXPECT_EQ(a.arrived, b.arrived);
  EXPECT_EQ(a.done, b.done);
  EXPECT_EQ(a.cancelled, b.cancelled);
  EXPECT_EQ(a.unfinished, b.unfinished);
  EXPECT_EQ(a.batches, b.batches);
  EXPECT_EQ(a.preempted, b.preempted);
  EXPECT_EQ(a.dropped, b.dropped);
  EXPECT_EQ(a.queueing_ns, b.queueing_ns);
  EXPECT_EQ(a.wait_ns, b.wait_ns);
  EXPECT_EQ(a.exec_ns, b.exec_ns);
  EXPECT_EQ(a.requests.sent, b.requests.sent);
  EXPECT_EQ(a.requests.in_time, b.requests.in_time);
  EXPECT_EQ(a.requests.late, b.requests.late);
  EXPECT_EQ(a.requests.dropped, b.requests.dropped);
  EXPECT_EQ(a.queueing_delay.counts(), b.queueing_delay.counts());
  EXPECT_EQ(a.batch_wait.counts(), b.batch_wait.counts());
}

inline void expect_same_windows(const RunRecord& a, const RunRecord& b) {
  ASSERT_EQ(a.windows.size(), b.windows.size());
  for (std::size_t i = 0; i < a.windows.size(); ++i) {
    EXPECT_EQ(a.windows[i].sent, b.windows[i].sent);
    EXPECT_EQ(a.windows[i].in_time, b.windows[i].in_time);
    EXPECT_EQ(a.windows[i].late, b.windows[i].late);
    EXPECT_EQ(a.windows[i].dropped, b.windows[i].dropped);
    EXPECT_EQ(a.windows[i].accuracy_sum, b.windows[i].accuracy_sum);
    EXPECT_EQ(a.windows[i].paths.in_time, b.windows[i].paths.in_time);
    EXPECT_EQ(a.windows[i].paths.late, b.windows[i].paths.late);
    EXPECT_EQ(a.windows[i].paths.lost, b.windows[i].paths.lost);
    EXPECT_EQ(a.windows[i].paths.accuracy_sum, b.windows[i].paths.accuracy_sum);
  }
  ASSERT_EQ(a.module_windows.size(), b.module_windows.size());
  for (std::size_t i = 0; i < a.module_windows.size(); ++i) {
    EXPECT_EQ(a.module_windows[i].arrived, b.module_windows[i].arrived);
    EXPECT_EQ(a.module_windows[i].started, b.module_windows[i].started);
    EXPECT_EQ(a.module_windows[i].dropped, b.module_windows[i].dropped);
    EXPECT_EQ(a.module_windows[i].batches, b.module_windows[i].batches);
    EXPECT_EQ(a.module_windows[i].queueing_ns, b.module_windows[i].queueing_ns);
    EXPECT_EQ(a.module_windows[i].wait_ns, b.module_windows[i].wait_ns);
  }
}

inline void expect_same_workers_and_plans(const RunRecord& a, const RunRecord& b) {
  ASSERT_EQ(a.workers.size(), b.workers.size());
  for (std::size_t i = 0; i < a.workers.size(); ++i) {
    EXPECT_EQ(a.workers[i].module, b.workers[i].module);
    EXPECT_EQ(a.workers[i].ready_ns, b.workers[i].ready_ns);
    EXPECT_EQ(a.workers[i].removed_ns, b.workers[i].removed_ns);
    EXPECT_EQ(a.workers[i].busy_ns, b.workers[i].busy_ns);
    EXPECT_EQ(a.workers[i].batches, b.workers[i].batches);
    EXPECT_EQ(a.workers[i].visits, b.workers[i].visits);
  }
  ASSERT_EQ(a.plans.size(), b.plans.size());
  for (std::size_t i = 0; i < a.plans.size(); ++i) {
    EXPECT_EQ(a.plans[i].at_ns, b.plans[i].at_ns);
    EXPECT_EQ(a.plans[i].module, b.plans[i].module);
    EXPECT_EQ(a.plans[i].workers, b.plans[i].workers);
    EXPECT_EQ(a.plans[i].batch_cap, b.plans[i].batch_cap);
    EXPECT_EQ(a.plans[i].exec_ns, b.plans[i].exec_ns);
  }
}

inline void expect_same_groups(const RunRecord& a, const RunRecord& b) {
  ASSERT_EQ(a.groups.size(), b.groups.size());
  for (std::size_t i = 0; i < a.groups.size(); ++i) {
    EXPECT_EQ(a.groups[i].at_ns, b.groups[i].at_ns);
    EXPECT_EQ(a.groups[i].group, b.groups[i].group);
    EXPECT_EQ(a.groups[i].module, b.groups[i].module);
    EXPECT_EQ(a.groups[i].workers, b.groups[i].workers);
    EXPECT_EQ(a.groups[i].batch_cap, b.groups[i].batch_cap);
    EXPECT_EQ(a.groups[i].cycle_ns, b.groups[i].cycle_ns);
    EXPECT_TRUE(same_number(a.groups[i].share, b.groups[i].share));
  }
}

inline void expect_same_totals(const RunRecord& a, const RunRecord& b) {
  EXPECT_EQ(a.duration_ns, b.duration_ns);
  EXPECT_EQ(a.end_ns, b.end_ns);
  EXPECT_EQ(a.window_ns, b.window_ns);
  EXPECT_EQ(a.slo_ns, b.slo_ns);
  EXPECT_EQ(a.sent, b.sent);
  EXPECT_EQ(a.in_time, b.in_time);
  EXPECT_EQ(a.late, b.late);
  EXPECT_EQ(a.dropped, b.dropped);
  EXPECT_EQ(a.unfinished, b.unfinished);
  EXPECT_EQ(a.accuracy_sum, b.accuracy_sum);
  EXPECT_EQ(a.accuracy_requests, b.accuracy_requests);
  EXPECT_EQ(a.gpu_ns, b.gpu_ns);
  EXPECT_EQ(a.gpu_invalid_ns, b.gpu_invalid_ns);
  EXPECT_EQ(a.latency.counts(), b.latency.counts());
  EXPECT_EQ(a.fingerprint, b.fingerprint);
  EXPECT_EQ(a.events, b.events);
  EXPECT_EQ(a.exchanged_bytes, b.exchanged_bytes);
  EXPECT_EQ(a.order_changes, b.order_changes);
  EXPECT_EQ(a.scheduler_busy_ns, b.scheduler_busy_ns);
  EXPECT_EQ(a.wall_s, b.wall_s);
}

inline void expect_same_ranks(const RunRecord& a, const RunRecord& b) {
  EXPECT_EQ(a.clock_bound_ns, b.clock_bound_ns);
  EXPECT_EQ(a.lateness.counts(), b.lateness.counts());
  ASSERT_EQ(a.ranks.size(), b.ranks.size());
  for (std::size_t i = 0; i < a.ranks.size(); ++i) {
    EXPECT_EQ(a.ranks[i].rank, b.ranks[i].rank);
    EXPECT_EQ(a.ranks[i].host, b.ranks[i].host);
    EXPECT_EQ(a.ranks[i].workers, b.ranks[i].workers);
    EXPECT_EQ(a.ranks[i].devices, b.ranks[i].devices);
    EXPECT_EQ(a.ranks[i].driver, b.ranks[i].driver);
    EXPECT_EQ(a.ranks[i].messages_sent, b.ranks[i].messages_sent);
    EXPECT_EQ(a.ranks[i].messages_received, b.ranks[i].messages_received);
    EXPECT_EQ(a.ranks[i].bytes_sent, b.ranks[i].bytes_sent);
    EXPECT_EQ(a.ranks[i].bytes_received, b.ranks[i].bytes_received);
    EXPECT_EQ(a.ranks[i].packets_sent, b.ranks[i].packets_sent);
    EXPECT_EQ(a.ranks[i].loop_turns, b.ranks[i].loop_turns);
    EXPECT_EQ(a.ranks[i].sleeps, b.ranks[i].sleeps);
    EXPECT_EQ(a.ranks[i].cpu_ns, b.ranks[i].cpu_ns);
    EXPECT_EQ(a.ranks[i].clock_offset_ns, b.ranks[i].clock_offset_ns);
    EXPECT_EQ(a.ranks[i].delivery_p50_ns, b.ranks[i].delivery_p50_ns);
    EXPECT_EQ(a.ranks[i].delivery_p99_ns, b.ranks[i].delivery_p99_ns);
    EXPECT_EQ(a.ranks[i].due_late_p99_ns, b.ranks[i].due_late_p99_ns);
    EXPECT_EQ(a.ranks[i].due_late_max_ns, b.ranks[i].due_late_max_ns);
    EXPECT_EQ(a.ranks[i].tensor_handle_bytes, b.ranks[i].tensor_handle_bytes);
    EXPECT_EQ(a.ranks[i].tensor_message_bytes, b.ranks[i].tensor_message_bytes);
    EXPECT_EQ(a.ranks[i].tensor_device_bytes, b.ranks[i].tensor_device_bytes);
    EXPECT_EQ(a.ranks[i].tensor_waits, b.ranks[i].tensor_waits);
    EXPECT_EQ(a.ranks[i].tensor_wait_p99_ns, b.ranks[i].tensor_wait_p99_ns);
    EXPECT_EQ(a.ranks[i].tensor_wait_max_ns, b.ranks[i].tensor_wait_max_ns);
    EXPECT_EQ(a.ranks[i].tensors_left, b.ranks[i].tensors_left);
    EXPECT_EQ(a.ranks[i].clock_bound_ns, b.ranks[i].clock_bound_ns);
  }
}

inline void expect_same_states(const StateTable& a, const StateTable& b) {
  EXPECT_EQ(a.names, b.names);
  ASSERT_EQ(a.rows.size(), b.rows.size());
  for (std::size_t i = 0; i < a.rows.size(); ++i) {
    EXPECT_EQ(a.rows[i].at_ns, b.rows[i].at_ns);
    EXPECT_EQ(a.rows[i].module, b.rows[i].module);
  }
  EXPECT_EQ(a.values, b.values);
}

inline void expect_same_cell(const SyntheticRun& run, const CellContents& cell) {
  expect_same_columns(run.summary, cell.summary);
  EXPECT_EQ(run.summary.cell.effective_toml, cell.summary.cell.effective_toml);
  EXPECT_EQ(run.module_names, cell.module_names);
  expect_same_totals(run.record, cell.record);
  expect_same_ranks(run.record, cell.record);
  expect_same_windows(run.record, cell.record);
  expect_same_workers_and_plans(run.record, cell.record);
  expect_same_groups(run.record, cell.record);
  expect_same_states(run.record.states, cell.record.states);
  ASSERT_EQ(run.record.modules.size(), cell.record.modules.size());
  for (std::size_t i = 0; i < run.record.modules.size(); ++i) {
    expect_same_module(run.record.modules[i], cell.record.modules[i]);
  }
  ASSERT_EQ(run.requests.size(), cell.requests.size());
  ASSERT_EQ(run.visits.size(), cell.visits.size());
  for (std::size_t i = 0; i < run.requests.size(); ++i)
    expect_same_request(run.requests[i], cell.requests[i]);
  for (std::size_t i = 0; i < run.visits.size(); ++i) expect_same_visit(run.visits[i], cell.visits[i]);
}

}  // namespace harness

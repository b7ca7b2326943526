// Comparison of a cell that was written and read again with the run.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "harness/record/hdf5/cell_contents.h"
#include "harness/record/hdf5/test_synthetic_run.h"
#include "harness/record/run/series.h"

namespace harness {

/// Returns "NAME=VALUE" for each column of a row, with exact numbers; every NaN gives the same text.
template <class Row>
std::vector<std::string> listed(Row row) {
  // A made-up row has no series and no workload: reading names them.
  if constexpr (std::is_same_v<Row, SummaryRow>) name_series({&row, 1});
  std::vector<std::string> texts;
  Row::list(row, [&]<class Value>(const std::string& name, const Value& value) {
    std::string text = ::testing::PrintToString(value);
    if constexpr (std::is_same_v<Value, double>)
      text += std::isnan(value) ? "" : " " + std::to_string(std::bit_cast<std::uint64_t>(value));
    texts.push_back(name + "=" + text);
  });
  return texts;
}

template <class Row>
void expect_same_rows(const std::vector<Row>& a, const std::vector<Row>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(listed(a[i]), listed(b[i])) << i;
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

inline void expect_same_record(const RunRecord& a, const RunRecord& b) {
  EXPECT_EQ(listed(a), listed(b));
  EXPECT_EQ(a.sent, b.sent);
  EXPECT_EQ(a.in_time, b.in_time);
  EXPECT_EQ(a.late, b.late);
  EXPECT_EQ(a.dropped, b.dropped);
  EXPECT_EQ(a.unfinished, b.unfinished);
  EXPECT_EQ(a.fingerprint, b.fingerprint);
  EXPECT_EQ(a.wall_s, b.wall_s);
  EXPECT_EQ(a.latency.counts(), b.latency.counts());
  EXPECT_EQ(a.schedule_lag.counts(), b.schedule_lag.counts());
  expect_same_rows(a.modules, b.modules);
  for (std::size_t i = 0; i < a.modules.size(); ++i) {
    EXPECT_EQ(a.modules[i].queueing_delay.counts(), b.modules[i].queueing_delay.counts());
    EXPECT_EQ(a.modules[i].batch_wait.counts(), b.modules[i].batch_wait.counts());
  }
  expect_same_rows(a.windows, b.windows);
  expect_same_rows(a.module_windows, b.module_windows);
  expect_same_rows(a.workers, b.workers);
  expect_same_rows(a.plans, b.plans);
  expect_same_rows(a.groups, b.groups);
  expect_same_rows(a.ranks, b.ranks);
  expect_same_states(a.states, b.states);
}

inline bool same_request(RequestRow a, RequestRow b) {
  if (std::isnan(a.accuracy) && std::isnan(b.accuracy)) a.accuracy = b.accuracy = 0;
  return a == b;
}

inline void expect_same_cell(const SyntheticRun& run, const CellContents& cell) {
  EXPECT_EQ(listed(run.summary), listed(cell.summary));
  EXPECT_EQ(run.summary.cell.effective_toml, cell.summary.cell.effective_toml);
  EXPECT_EQ(run.module_names, cell.module_names);
  expect_same_record(run.record, cell.record);
  ASSERT_EQ(run.requests.size(), cell.requests.size());
  ASSERT_EQ(run.visits.size(), cell.visits.size());
  for (std::size_t i = 0; i < run.requests.size(); ++i)
    ASSERT_TRUE(same_request(run.requests[i], cell.requests[i])) << i;
  for (std::size_t i = 0; i < run.visits.size(); ++i) ASSERT_EQ(run.visits[i], cell.visits[i]) << i;
}

}  // namespace harness

#include "harness/record/hdf5/cell_contents.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string_view>
#include <type_traits>
#include <utility>

#include "harness/core/input_error.h"
#include "harness/record/hdf5/hdf5_handle.h"
#include "harness/record/hdf5/results_file.h"
#include "harness/record/hdf5/results_format.h"
#include "harness/record/hdf5/results_reader.h"
#include "harness/record/hdf5/stored_bucket.h"
#include "harness/record/hdf5/stored_module.h"
#include "harness/record/hdf5/stored_request.h"
#include "harness/record/hdf5/stored_states.h"
#include "harness/record/hdf5/stored_table.h"
#include "harness/record/hdf5/stored_visit.h"
#include "harness/record/hdf5/stored_window.h"
#include "harness/record/hdf5/stored_worker.h"

namespace harness {
namespace {

/// Totals that files of an older version may lack.
constexpr std::string_view kLaterTotals[] = {"accuracy_sum",      "accuracy_requests", "latency_sum_ns",
                                             "exchanged_bytes",   "order_changes",     "rerouted_visits",
                                             "scheduler_busy_ns", "measured_from_ns",  kClockBoundAttribute};

void restore_histograms(RunRecord& record, const std::vector<StoredBucket>& buckets) {
  for (const StoredBucket& bucket : buckets) {
    if (bucket.measure == Measure::kLatency) {
      record.latency.add(bucket.up_to_ns, bucket.count);
    } else if (bucket.measure == Measure::kScheduleLag) {
      record.schedule_lag.add(bucket.up_to_ns, bucket.count);
    } else if (bucket.module < record.modules.size()) {
      ModuleTotals& module = record.modules[bucket.module];
      const bool queueing = bucket.measure == Measure::kQueueingDelay;
      (queueing ? module.queueing_delay : module.batch_wait).add(bucket.up_to_ns, bucket.count);
    }
  }
}

void restore_totals(RunRecord& record, const SummaryRow& row, hid_t group) {
  RunRecord::list(record, [group]<class Total>(const char* name, Total& total) {
    const bool may_lack = std::ranges::find(kLaterTotals, std::string_view(name)) != std::end(kLaterTotals);
    if (may_lack && !has_attribute(group, name)) return;
    if constexpr (std::is_integral_v<Total>)
      total = static_cast<Total>(read_integer_attribute(group, name));
    else
      total = read_real_attribute(group, name);
  });
  record.sent = row.sent;
  record.in_time = row.in_time;
  record.late = row.late;
  record.dropped = row.dropped;
  record.unfinished = row.unfinished;
  record.wall_s = row["wall_s"];
  record.fingerprint = std::strtoull(row.fingerprint.c_str(), nullptr, 16);
}

void restore_tables(CellContents& cell, hid_t group) {
  RunRecord& record = cell.record;
  for (const StoredWindow& row : read_table<StoredWindow>(group, "windows"))
    record.windows.push_back(row.counts);
  for (const StoredModuleWindow& row : read_table<StoredModuleWindow>(group, "module_windows")) {
    record.module_windows.push_back(row.window);
  }
  for (StoredModule& row : read_table<StoredModule>(group, "modules")) {
    cell.module_names.push_back(std::move(row.name));
    record.modules.push_back(std::move(row.totals));
  }
  if (has_link(group, "queue")) {
    for (const StoredSample& row : read_table<StoredSample>(group, "queue"))
      record.queue_samples.push_back(row.waiting);
  }
  restore_histograms(record, read_table<StoredBucket>(group, "latency"));
  for (StoredWorker& row : read_table<StoredWorker>(group, "workers")) {
    if (row.totals.added_ns == kNotReached) row.totals.added_ns = kNever;
    if (row.totals.ready_ns == kNotReached) row.totals.ready_ns = kNever;
    if (row.totals.removed_ns == kNotReached) row.totals.removed_ns = kNever;
    record.workers.push_back(row.totals);
  }
  record.plans = read_table<PlanRow>(group, "plans");
  if (has_link(group, "groups")) record.groups = read_table<GroupRow>(group, "groups");
  record.states = read_states(group);
  if (has_link(group, "ranks")) record.ranks = read_table<RankTotals>(group, "ranks");
}

template <class Stored, class Row>
void restore_rows(hid_t group, const char* name, std::vector<Row>& rows) {
  if (has_link(group, name))
    rows = read_table<Stored>(group, name, [](const Stored& row) { return restored(row); });
}

}  // namespace

CellContents read_cell(const std::string& path, std::uint32_t index) {
  CellContents cell;
  bool found = false;
  for (SummaryRow& row : read_summary(path)) {
    if (row.cell.index != index) continue;
    cell.summary = std::move(row);
    found = true;
  }
  if (!found) throw input_error({path, 0, "cell"}, std::to_string(index), "a cell of this file");
  const ResultsReader file(path);
  return file.read([&] {
    const Hdf5Handle group = open_group(file.root(), cell_group_name(index));
    cell.summary.cell.effective_toml = read_text_attribute(group.get(), "effective_toml");
    restore_totals(cell.record, cell.summary, group.get());
    restore_tables(cell, group.get());
    restore_rows<StoredRequest>(group.get(), "requests", cell.requests);
    restore_rows<StoredVisit>(group.get(), "visits", cell.visits);
    return std::move(cell);
  });
}

}  // namespace harness

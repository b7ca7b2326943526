#include "harness/record/run/summary_row.h"

#include <algorithm>
#include <limits>

#include "harness/core/check.h"
#include "harness/record/run/queue_trend.h"
#include "harness/record/run/rank_totals.h"
#include "harness/record/run/run_record.h"

namespace harness {
namespace {

std::uint64_t initial_workers(const RunRecord& record) {
  const auto ready_at_start = [](const WorkerTotals& worker) { return worker.ready_ns <= 0; };
  return static_cast<std::uint64_t>(
      std::count_if(record.workers.begin(), record.workers.end(), ready_at_start));
}

}  // namespace

std::string hex16(std::uint64_t value) {
  std::string text(16, '0');
  for (std::size_t i = 16; i-- > 0; value >>= 4) text[i] = "0123456789abcdef"[value & 15];
  return text;
}

void settle_values(SummaryRow& row) {
  if (row.in_time + row.late > 0) return;
  for (std::size_t i = 0; i < row.values.size(); ++i) {
    const OfNothing rule = row.sent == 0 ? metrics()[i].unsent : metrics()[i].uncompleted;
    if (rule == OfNothing::kAbsent) row.values[i] = kNoValue;
    if (rule == OfNothing::kUnbounded) row.values[i] = std::numeric_limits<double>::infinity();
  }
}

double& SummaryRow::operator[](std::string_view metric) {
  const Metric* found = find_metric(metric);
  HARNESS_CHECK(found != nullptr, "no metric has this name");
  return values[static_cast<std::size_t>(found - metrics().data())];
}

double SummaryRow::operator[](std::string_view metric) const {
  return const_cast<SummaryRow&>(*this)[metric];
}

SummaryRow summarise(const CellIdentity& cell, const MeasuredRun& run) {
  const RunRecord& record = run.record;
  SummaryRow row;
  row.cell = cell;
  row.slo_ms = ns_to_ms(record.slo_ns);
  row.workers = initial_workers(record);
  row.duration_s = ns_to_s(record.duration_ns);
  row.measured_from_s = ns_to_s(record.measured_from_ns);
  row.sent = record.sent;
  row.in_time = record.in_time;
  row.late = record.late;
  row.dropped = record.dropped;
  row.unfinished = record.unfinished;
  for (std::size_t i = 0; i < row.values.size(); ++i) row.values[i] = metrics()[i].value(run);
  settle_values(row);
  row.queue_trend = name_of(queue_trend(record), record);
  row.devices = devices_text(record.ranks);
  row.fingerprint = hex16(record.fingerprint);
  return row;
}

}  // namespace harness

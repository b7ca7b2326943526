// One row of /summary: the identity of a cell and its metrics.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/record/run/cell_identity.h"
#include "harness/record/run/metrics.h"
#include "harness/record/run/no_value.h"

namespace harness {

/// The row of a cell. Rates are requests/s of virtual time over the measured part of the load; shares are in
/// [0, 1].
struct SummaryRow {
  CellIdentity cell;
  std::string status = "ok";  ///< ok, skipped or invalid
  std::string why;            ///< reason if skipped or invalid; if ok, notes on how the cell ran
  double slo_ms = 0;
  std::uint64_t workers = 0;  ///< number of workers that can serve at the start
  double duration_s = 0;
  double measured_from_s = 0;  ///< start of the measured part: requests sent before it count nowhere
  std::uint64_t sent = 0, in_time = 0, late = 0, dropped = 0, unfinished = 0;
  std::vector<double> values = std::vector<double>(metrics().size(), kNoValue);  ///< values of metrics()
  std::string queue_trend;  ///< steady, growing or unclear (queue_trend.h); "": no trend is known
  std::string devices;  ///< devices of a run on GPUs: "8 x NVIDIA H200, driver 580.95.05, LibTorch 2.11.0"
  std::string fingerprint;  ///< hash of all decisions, 16 hex digits

  /// Returns the value of a metric by its name.
  double& operator[](std::string_view metric);
  double operator[](std::string_view metric) const;

  /// Lists the columns of /summary. cell.effective_toml has no column: it is stored beside the cell's tables.
  static void list(auto& row, auto&& column) {
    column("cell", row.cell.index);
    column("system", row.cell.system);
    column("variant", row.cell.variant);
    column("pipeline", row.cell.pipeline);
    column("trace", row.cell.trace);
    column("load", row.cell.load);
    column("seed", row.cell.seed);
    column("runtime", row.cell.runtime);
    column("answers", row.cell.answers);
    column("parameters", row.cell.parameters);
    column("series", row.cell.series);
    column("workload", row.cell.workload);
    column("status", row.status);
    column("why", row.why);
    column("slo_ms", row.slo_ms);
    column("workers", row.workers);
    column("duration_s", row.duration_s);
    column("measured_from_s", row.measured_from_s);
    column("sent", row.sent);
    column("in_time", row.in_time);
    column("late", row.late);
    column("dropped", row.dropped);
    column("unfinished", row.unfinished);
    for (std::size_t i = 0; i < row.values.size(); ++i) column(metrics()[i].name, row.values[i]);
    column("queue_trend", row.queue_trend);
    column("devices", row.devices);
    column("fingerprint", row.fingerprint);
    column("input_hash", row.cell.input_hash);
  }
};

/// Returns the value as 16 hexadecimal digits, as fingerprints and hashes are shown: "0123456789abcdef".
std::string hex16(std::uint64_t value);

/// Sets the metrics of a row without requests, or without completed ones, to the values that their rules
/// (Metric::unsent, Metric::uncompleted) give. A file of an older version may have 0 there.
void settle_values(SummaryRow& row);

/// Returns the row of a run, with every metric.
SummaryRow summarise(const CellIdentity& cell, const MeasuredRun& run);

}  // namespace harness

// One row of /summary: what a cell was and what came out.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/record/run/run_record.h"

namespace harness {

/// A value that does not exist for a cell: null in JSON, empty in CSV, "-" in tables.
inline constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

/// What a cell is: the columns that name it, and what its results depend on.
struct CellIdentity {
  std::uint32_t index = 0;  ///< place in the experiment, from 0
  std::string system;
  std::string variant;  ///< name of the parameter setting; "default" when nothing is overridden
  std::string pipeline;
  std::string trace;
  /// Target rate / capacity of the reference plan (the shared settings' own); kNoValue where it has none.
  double load = 0;
  std::uint64_t seed = 0;
  std::string runtime = "simulated";
  std::string answers;         ///< whole or partial where the pipeline is a task tree, else ""
  std::string parameters;      ///< swept and overridden parameters, "key=value key=value"
  std::string series;          ///< "pard/back lambda=0.2" (series.h)
  std::string workload;        ///< "lv tweet load 1.2 slo 500 ms cluster.workers=64" (series.h)
  std::string effective_toml;  ///< the cell's whole effective settings, one canonical text
  std::string
      input_hash;  ///< 16 hex digits: hash of effective_toml, trace and profile checksums and the build
};

/// The pairs of `parameters`, one for each key: a sweep stands after what a system sets, and overrides it. A
/// word without '=' belongs to the value before it.
std::vector<std::pair<std::string, std::string>> parameters_of(const CellIdentity& cell);

/// Which way a metric is better. kNeither for what describes the cell, its plan or its bounds.
enum class Better { kHigher, kLower, kNeither };
/// "higher", "lower", "neither".
const char* name_of(Better better);

/// What a column says of a run in which there is nothing to measure. kUsual: what it says of every run, such
/// as a count of 0; kAbsent: no value; kUnbounded: infinite.
enum class OfNothing { kUsual, kAbsent, kUnbounded };
/// "value", "none", "inf".
const char* name_of(OfNothing rule);

/// A run, and what is known of it beside its record.
struct MeasuredRun {
  const RunRecord& record;
  double capacity_rps = 0;                         ///< of the plan at time 0
  std::function<double(TimeNs)> capacity_at = {};  ///< requests/s at a time; empty: it is not known
  double fluid_requests = 0;                       ///< the fluid bound (engine/bounds/fluid_bound.h)
  std::optional<double> scheduled_requests = {};   ///< none: no schedule is sure to be feasible
  double recorded_peak_over_mean = kNoValue;       ///< of a recorded trace, the window that is replayed ...
  double sent_peak_over_mean = kNoValue;           ///< ... and of the rate at which it is sent
  double slo_factor = kNoValue;  ///< the SLO in shortest service times, where it was given so
  double reference_rps = 0;      ///< beyond which the workload is an overload; 0: beyond capacity_at
};

/// A metric: everything that the harness knows of it. The list of all stands in metrics.cc, and a new one is
/// an entry there and its line in results/README.md.
struct Metric {
  const char* name;
  const char* unit;  ///< "": a share, a ratio
  Better better;
  double (*value)(const MeasuredRun& run);    ///< kNoValue: nothing to divide by
  OfNothing unsent = OfNothing::kUsual;       ///< where no request was sent
  OfNothing uncompleted = OfNothing::kUsual;  ///< where requests were sent and none was completed
  bool is_share = false;                      ///< a part of a whole, in [0, 1]: shown in percent
};
/// In the order of their columns.
std::span<const Metric> metrics();
/// nullptr: none has this name.
const Metric* find_metric(std::string_view name);

/// A cell's row. Rates are requests/s of virtual time over the measured part of the load; shares are in [0,
/// 1].
struct SummaryRow {
  CellIdentity cell;
  std::string status = "ok";  ///< ok, skipped or invalid
  std::string why;            ///< for skipped and invalid; of one that is ok, what to know of how it ran
  double slo_ms = 0;
  std::uint64_t workers = 0;  ///< that can serve at the start
  double duration_s = 0;
  double measured_from_s = 0;  ///< requests sent before it count nowhere
  std::uint64_t sent = 0, in_time = 0, late = 0, dropped = 0, unfinished = 0;
  std::vector<double> values = std::vector<double>(metrics().size(), kNoValue);  ///< of metrics()
  std::string queue_trend;  ///< steady, growing or unclear (queue_trend.h); "": it has none
  std::string devices;      ///< of runs on devices: "8 NVIDIA H200, driver 580.95.05, LibTorch 2.11.0"
  std::string fingerprint;  ///< 16 hex digits

  /// The value of a metric, by its name.
  double& operator[](std::string_view metric);
  double operator[](std::string_view metric) const;

  /// The columns of /summary. cell.effective_toml is none: it stands beside the cell's tables.
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

/// "0123456789abcdef": 16 hexadecimal digits, as fingerprints and hashes are shown.
std::string hex16(std::uint64_t value);

/// Gives the metrics of a row without requests, or without completed ones, the values that their rules say.
/// A file of an older version may have 0 there.
void settle_values(SummaryRow& row);

/// One row of /columns: what readers need to know of a column of /summary.
struct ColumnFacts {
  std::string name;
  std::string unit;    ///< "": none
  std::string better;  ///< name_of(Better)
  bool is_share = false;
  std::string unsent = name_of(OfNothing::kUsual);       ///< name_of(OfNothing), where no request was sent
  std::string uncompleted = name_of(OfNothing::kUsual);  ///< where none was completed

  static void list(auto& row, auto&& column) {
    column("name", row.name);
    column("unit", row.unit);
    column("better", row.better);
    column("is_share", row.is_share);
    column("no_request_sent", row.unsent);
    column("none_completed", row.uncompleted);
  }
};
/// Returns them for all columns of /summary, in their order.
std::vector<ColumnFacts> column_facts();
/// Returns which way a column is better, also one that is no metric.
Better better_of(std::string_view column);

/// The row of a run, with every metric.
SummaryRow summarise(const CellIdentity& cell, const MeasuredRun& run);

}  // namespace harness

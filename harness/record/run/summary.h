// One row of /summary: the identity of a cell and its results.
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

/// The identity of a cell: the columns that name it, and everything on which its results depend.
struct CellIdentity {
  std::uint32_t index = 0;  ///< index in the experiment, from 0
  std::string system;
  std::string variant;  ///< name of the parameter setting; "default" when nothing is overridden
  std::string pipeline;
  std::string trace;
  /// Target rate / capacity of the reference plan, which follows from the shared settings alone; kNoValue
  /// without such a plan.
  double load = 0;
  std::uint64_t seed = 0;
  std::string runtime = "simulated";
  std::string answers;         ///< "whole" or "partial" if the pipeline is a task tree, else ""
  std::string parameters;      ///< swept and overridden parameters, "key=value key=value"
  std::string series;          ///< "pard/back lambda=0.2" (series.h)
  std::string workload;        ///< "lv tweet load 1.2 slo 500 ms cluster.workers=64" (series.h)
  std::string effective_toml;  ///< the cell's whole effective settings, one canonical text
  /// Hash of effective_toml, the checksums of trace and profiles, and the build: 16 hex digits.
  std::string input_hash;
};

/// Returns the pairs of key and value in `parameters`, one for each key. If a key occurs several times the
/// last value counts: sweeps come after the system's own settings and override them. A word without '='
/// belongs to the value before it. Old names are replaced by today's.
std::vector<std::pair<std::string, std::string>> parameters_of(const CellIdentity& cell);

/// The direction in which a metric is better; kNeither for metrics that describe the cell, its plan or its
/// bounds.
enum class Better { kHigher, kLower, kNeither };
/// Returns "higher", "lower" or "neither".
const char* name_of(Better better);

/// The value of a column for a run in which there is nothing to measure. kUsual: a value as in every run,
/// such as a count of 0; kAbsent: no value; kUnbounded: infinite.
enum class OfNothing { kUsual, kAbsent, kUnbounded };
/// Returns "value", "none" or "inf".
const char* name_of(OfNothing rule);

/// A run, with the facts about it that its record does not have.
struct MeasuredRun {
  const RunRecord& record;
  double capacity_rps = 0;                         ///< capacity of the plan at time 0, in requests/s
  std::function<double(TimeNs)> capacity_at = {};  ///< capacity at a time, in requests/s; empty: not known
  double fluid_requests = 0;                       ///< fluid bound, in requests (engine/bounds/fluid_bound.h)
  /// Requests in time of an offline schedule; empty: no schedule is sure to be feasible.
  std::optional<double> scheduled_requests = {};
  /// Peak over mean of the replayed window of a recorded trace, as it was recorded.
  double recorded_peak_over_mean = kNoValue;
  /// Peak over mean of the rate at which that window is sent.
  double sent_peak_over_mean = kNoValue;
  double slo_factor = kNoValue;  ///< SLO in shortest service times, if it was given in these
  double reference_rps = 0;      ///< rate above which the workload is an overload; 0: above capacity_at
};

/// A metric: everything that the harness knows of it. The list of all metrics is in metrics.cc; to add one,
/// add an entry there and its line in results/README.md.
struct Metric {
  const char* name;
  const char* unit;  ///< unit; "": a share, a ratio
  Better better;
  double (*value)(const MeasuredRun& run);  ///< computes the value; kNoValue if there is nothing to divide by
  OfNothing unsent = OfNothing::kUsual;     ///< value if no request was sent
  OfNothing uncompleted = OfNothing::kUsual;  ///< value if requests were sent and none was completed
  bool is_share = false;                      ///< true for a part of a whole, in [0, 1]: shown in percent
};
/// Returns all metrics, in the order of their columns.
std::span<const Metric> metrics();
/// Returns the metric of this name; nullptr if there is no such metric.
const Metric* find_metric(std::string_view name);

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

/// One row of /columns: the facts that readers need about a column of /summary.
struct ColumnFacts {
  std::string name;
  std::string unit;    ///< unit; "": it has no unit
  std::string better;  ///< name_of(Better)
  bool is_share = false;
  std::string unsent = name_of(OfNothing::kUsual);  ///< name_of(OfNothing) for a run that sent no request
  std::string uncompleted = name_of(OfNothing::kUsual);  ///< name_of(OfNothing) for one that completed none

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
/// Returns the direction in which a column is better, also for a column that is no metric.
Better better_of(std::string_view column);

/// Returns the row of a run, with every metric.
SummaryRow summarise(const CellIdentity& cell, const MeasuredRun& run);

}  // namespace harness

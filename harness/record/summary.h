// One row of /summary: what a cell was and what came out, every column listed once.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "harness/record/run_record.h"

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
  double load = 0;  ///< expected mean rate / capacity of the reference plan (the shared settings' own)
  std::uint64_t seed = 0;
  std::string runtime = "simulated";
  std::string answers;         ///< whole or partial where the pipeline is a tree of tasks, else ""
  std::string parameters;      ///< swept and overridden parameters, "key=value key=value"
  std::string effective_toml;  ///< the cell's whole effective settings, one canonical text
  std::string
      input_hash;  ///< 16 hex digits: hash of effective_toml, trace and profile checksums and the build
};

/// The pairs of `parameters`, one for each key: a sweep stands after what a system sets, and overrides it. A
/// word without '=' belongs to the value before it.
std::vector<std::pair<std::string, std::string>> parameters_of(const CellIdentity& cell);

/// A cell's row. Rates are requests/s of virtual time over the load's duration; shares are in [0, 1].
struct SummaryRow {
  CellIdentity cell;
  std::string status = "ok";  ///< ok, skipped or invalid
  std::string why;            ///< for skipped and invalid; of one that is ok, what to know of how it ran
  double slo_ms = 0;
  std::uint64_t workers = 0;
  double workers_mean = 0;            ///< that could serve, over the load's duration (Loki, section 6.1)
  double workers_min_10s = kNoValue;  ///< least of that mean over 10 s
  double duration_s = 0;
  double capacity_rps = 0;  ///< of the initial plan
  double offered_rps = 0;
  std::uint64_t sent = 0, in_time = 0, late = 0, dropped = 0, unfinished = 0;
  double goodput_rps = 0;
  double goodput_overload_rps =
      0;  ///< over the seconds in which more was sent than the capacity then; 0 if there are none
  double overload_s = 0;          ///< number of such seconds
  double drop_rate = 0;           ///< (dropped + late) / sent
  double drop_rate_overload = 0;  ///< the same over those seconds
  // Shares of the dropped and late requests, by where they were lost (DropPlaces in metrics.h).
  double drop_share_last = kNoValue, drop_share_latter_half = kNoValue, drop_share_first_two = kNoValue;
  double invalid_rate = 0;
  double accuracy = kNoValue;             ///< mean of the completed requests; none where models have none
  double path_violation_rate = kNoValue;  ///< of the paths of trees of tasks: (late + lost) / all
  double path_accuracy = kNoValue;        ///< mean of the served paths
  double latency_ms_p50 = 0, latency_ms_p90 = 0, latency_ms_p99 = 0;
  double min_goodput_share_1s = 0, min_goodput_share_10s = 0, min_goodput_share_60s = 0;
  double queueing_ms_mean = kNoValue;  ///< sum over the modules of the mean of the visits done there
  double batch_wait_ms_mean = kNoValue;
  double gpu_utilisation = 0;
  double optimal_goodput_rps =
      0;  ///< PARD section 5.4: the least of rate sent and capacity, second by second
  double fluid_bound_rps = 0;
  double bound_share = 0;
  double reservation_rps = kNoValue;  ///< no value: no schedule is sure to be feasible
  double bound_gap = kNoValue;        ///< none where reservation_rps has none or the fluid bound is 0
  double state_kbps_per_worker = 0;   ///< of reports and published states, 1000 bit/s
  double order_changes = kNoValue;    ///< of the published value "order", over all modules
  double scheduler_busy =
      kNoValue;  ///< share of the load's time, of the busiest queue; none without scheduler_cost
  // Of live runs; no value in virtual time.
  double lateness_us_p50 = kNoValue, lateness_us_p99 = kNoValue, lateness_us_max = kNoValue;
  double messages = kNoValue;  ///< sent by all ranks, as their bytes
  double message_bytes = kNoValue;
  double clock_bound_us = kNoValue;
  double sim_requests_per_s = kNoValue;  ///< of runs in virtual time
  double wall_s = 0;
  std::string devices;      ///< of runs on devices: "8 NVIDIA H200, driver 580.95.05, LibTorch 2.11.0"
  std::string fingerprint;  ///< 16 hex digits

  /// Calls `column(name, doc, pointer)` for each column in the order in which tables show them. `pointer`
  /// points into this row. `cell.effective_toml` is no column: it stands beside the cell's rows
  /// (results/README.md).
  using ColumnPointer = std::variant<std::string*, double*, std::uint64_t*, std::uint32_t*>;
  void list(const std::function<void(const char* name, const char* doc, ColumnPointer)>& column);
};

/// "0123456789abcdef": 16 hexadecimal digits, as fingerprints and hashes are shown.
std::string hex16(std::uint64_t value);

/// Computes every metric of a run (results/README.md says how); kNoValue where there is nothing to divide by.
/// `bound_requests` is the fluid bound (engine/fluid_bound.h), `capacity_rps` the capacity of the plan at
/// time 0. `capacity_at` gives the capacity in requests/s at a time (steps of the plan rows);
/// empty: it is not known, and what rests on it is NaN.
SummaryRow summarise(const CellIdentity& cell, const RunRecord& record, double bound_requests,
                     double capacity_rps, const std::function<double(TimeNs)>& capacity_at);

}  // namespace harness

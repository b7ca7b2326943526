// The runtime in wall-clock time, emulated or on GPUs: runs a cell on all ranks of the job.
#pragma once

#include <functional>
#include <optional>

#include "harness/core/environment_error.h"
#include "harness/engine/run_spec.h"
#include "harness/live/protocol/layout.h"
#include "harness/live/protocol/live_params.h"
#include "harness/record/run/row_sink.h"
#include "harness/record/run/run_record.h"

namespace harness {

class DeviceWorkers;
struct DeviceExchanges;
class Transport;

/// The way in which a cell runs, apart from the cell itself.
struct LiveRun {
  LiveParams params;
  /// Wall time after which the run ends by itself, with RunRecord::why_invalid; 0: no limit.
  double limit_s = 0;
  /// Called on every rank once per loop turn, so after each signal too. What it throws on any rank ends the
  /// run on all ranks, and is thrown on that one; the others throw EnvironmentError. May be empty.
  std::function<void()> check_signal;
  /// Number of this run among the job's runs: the same on all ranks, and different from the other runs'
  /// numbers.
  std::uint32_t number = 0;
  /// Devices that run the batches of this rank's GPUs; null: timers run them. Either all ranks have such an
  /// object or no rank has. With devices the tensors travel, as with params.payload, and the devices wake the
  /// transport (Transport::interrupt). Outlives the run.
  DeviceWorkers* devices = nullptr;
  /// Exchanges of this rank's GPUs, which bring tensors from GPU to GPU; null: messages bring them. Either
  /// all ranks have such an object or no rank has; rank 0's has no GPU. Serves one run.
  DeviceExchanges* exchanges = nullptr;
  /// True: plans are computed in a thread of rank 0 beside its loop, and take effect once they are there and
  /// `planner.plan_time_ms` is over. False: they are computed in the loop, which stops meanwhile (tests in
  /// steps).
  bool plans_aside = true;
};

/// Thrown if a rank is alive but says nothing: the run cannot end in good order.
class RankHung : public EnvironmentError {
  using EnvironmentError::EnvironmentError;
};

/// Runs a cell on the live cluster until every request has ended, and closes the accounting. All ranks make
/// the same calls in the same order, each with the same `spec`, whose layout fits (layout_fault()). Only rank
/// 0 calls its `spec.progress`, several times a second, with the time since the start of the load. `rows` is
/// rank 0's and may be null. Returns the record at rank 0, nothing on the others. If a rank is lost, throws
/// EnvironmentError on every rank that hears of it. Throws RankHung, which names the rank, if one says
/// nothing for hang_limit_s, and CellFailed if a device cannot run a batch: after that the ranks can go on
/// with other cells.
std::optional<RunRecord> run_live(const RunSpec& spec, const LiveRun& run, Transport& transport,
                                  RowSink* rows);

}  // namespace harness

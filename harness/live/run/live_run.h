// The emulated runtime: a cell in wall-clock time, on all ranks of the job.
#pragma once

#include <functional>
#include <optional>

#include "harness/core/error.h"
#include "harness/engine/run_spec.h"
#include "harness/live/protocol/layout.h"
#include "harness/live/protocol/live_params.h"

namespace harness {

class DeviceWorkers;
struct DeviceExchanges;
class Transport;

/// A rank that is there but says nothing: the run cannot end in good order.
class RankHung : public EnvironmentError {
  using EnvironmentError::EnvironmentError;
};

/// How a cell runs, besides what the cell is.
struct LiveRun {
  LiveParams params;
  /// Wall time after which the run ends by itself, with RunRecord::why_invalid; 0: none.
  double limit_s = 0;
  /// Called on every rank once a loop turn, so after each signal too. What it throws on any rank ends the run
  /// on all ranks, and is thrown on that one; the others throw EnvironmentError. May be empty.
  std::function<void()> check_signal;
  /// Of this run among those of the job: the same on all ranks, another for each.
  std::uint32_t number = 0;
  /// What runs the batches of this rank's GPUs, null: timers. On all ranks alike; the tensors then travel,
  /// as with params.payload. Its devices wake the transport (Transport::interrupt). Outlives the run.
  DeviceWorkers* devices = nullptr;
  /// What brings tensors from GPU to GPU, null: messages do. On all ranks alike: those of this rank's GPUs,
  /// of which rank 0 has none. For one run.
  DeviceExchanges* exchanges = nullptr;
  /// Plans are computed in a thread of rank 0 beside its loop, and take effect once they are there and
  /// `planner.plan_time_ms` is over; false: in the loop, which stands still meanwhile (tests in steps).
  bool plans_aside = true;
};

/// Runs a cell on the live cluster until every request has ended, and closes the accounting. All ranks make
/// the same calls in the same order, each with the same `spec`, whose layout fits (layout_fault()); only rank
/// 0's has its `progress` called, several times a second, with the time since the start of the load. `rows`
/// is rank 0's and may be null. Returns the record at rank 0, nothing on the others. Throws EnvironmentError
/// on every rank that hears of it when a rank is lost, RankHung when one says nothing for hang_limit_s,
/// naming it, CellFailed when a device cannot run a batch: after that one the ranks can go on with others.
std::optional<RunRecord> run_live(const RunSpec& spec, const LiveRun& run, Transport& transport,
                                  RowSink* rows);

}  // namespace harness

// Runs one cell and writes its file, which appears complete or not at all.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "harness/experiment/cells/bounds.h"
#include "harness/experiment/cells/cell_factory.h"
#include "harness/experiment/cells/prepared_cell.h"
#include "harness/experiment/running/cell_devices.h"
#include "harness/experiment/running/row_buffer.h"
#include "harness/gpu/exchange/device_exchange.h"
#include "harness/live/run/device_workers.h"
#include "harness/live/run/live_run.h"
#include "harness/live/transport/transport.h"
#include "harness/record/hdf5/cell_file_writer.h"
#include "harness/record/run/request_row.h"
#include "harness/record/run/row_sink.h"
#include "harness/record/run/run_record.h"
#include "harness/record/run/summary_row.h"
#include "harness/record/run/visit_row.h"

namespace harness {

/// The settings that cells of an experiment need while they run.
struct CellRun {
  bool rows = true;    ///< true: keeps a row for each request and visit
  double limit_s = 0;  ///< wall time after which the cell is given up; 0: none
  std::string path;    ///< path of the cell's file
  std::string mark;    ///< path of the mark if the cell ends the program (crash_mark.h); empty: no mark
  /// Bytes that this process may have in memory.
  double memory_bytes = std::numeric_limits<double>::infinity();
  /// Called as RunSpec::progress is; may throw to end the run.
  std::function<void(TimeNs, std::uint64_t)> progress;
  std::function<void()> check_signal{};  ///< throws if the user wants to stop; called by any thread
};

/// Returns the row of a run of `spec`, which was made of `prepared`.
SummaryRow row_of(const PreparedCell& prepared, const RunSpec& spec, const RunRecord& record,
                  BoundCache& bounds);

/// Simulates the cell, or records it as skipped, or as invalid if it fails, whatever the reason: it takes too
/// long or too much memory, makes no progress, has a bug. `bounds` remembers the bounds of earlier cells.
/// Throws EnvironmentError, also what `how.progress` throws, and InputError if a file of its input has
/// changed.
SummaryRow run_cell(CellFactory& factory, BoundCache& bounds, const PreparedCell& prepared,
                    const CellRun& how);

/// Runs the cell against a running server ([server]) on this rank alone. It is skipped, with the reason, if
/// the server is not there, is not ready, or has other models or settings. Throws what `how` throws.
SummaryRow run_server_cell(CellFactory& factory, BoundCache& bounds, const PreparedCell& prepared,
                           const CellRun& how);

/// One live cell that can run; every rank has one. The constructor makes the world, has the devices loaded
/// and, on rank 0, makes the file, so that errors there show before the ranks begin to wait for each other.
class LiveCell {
 public:
  /// `devices` are the rank's; they must outlive this, as must the transport.
  LiveCell(CellFactory& factory, const PreparedCell& prepared, CellRun how, Transport& transport,
           CellDevices& devices);
  /// Returns why the cell cannot run, on the rank that cannot get a device or model; else empty.
  const std::string& why() const { return why_; }
  /// Runs it together with the other ranks; rank 0 writes the file and returns the row. `check_signal` is as
  /// in LiveRun. The transport may carry other cells before and after. If a device fails, the cell is
  /// skipped, or invalid if the load is over; otherwise throws what run_live() throws.
  std::optional<SummaryRow> run(BoundCache& bounds, const std::function<void()>& check_signal);

 private:
  /// Returns on rank 0 the row of a cell that did not run, and writes its file.
  std::optional<SummaryRow> give_up(const char* why);
  /// Returns why the devices were not as fast as their profiles after the run, or could not be checked; else
  /// empty.
  std::string profile_fault_after(const std::function<void()>& check_signal);

  const PreparedCell& prepared_;
  CellRun how_;
  Transport& transport_;
  CellDevices& kept_;
  RunSpec spec_;
  std::string why_;
  std::unique_ptr<DeviceWorkers> devices_;      ///< set with runtime = "gpu"
  std::unique_ptr<DeviceExchanges> exchanges_;  ///< set if tensors go from GPU to GPU
  std::optional<CellFileWriter> writer_;        ///< set on rank 0
  RowBuffer rows_;
};

}  // namespace harness

// Runs one cell and writes its file, which appears complete or not at all.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/experiment/cells/bounds.h"
#include "harness/experiment/cells/cell_factory.h"
#include "harness/experiment/running/cell_devices.h"
#include "harness/gpu/exchange/device_exchange.h"
#include "harness/live/run/device_workers.h"
#include "harness/live/run/live_run.h"
#include "harness/live/transport/transport.h"
#include "harness/record/hdf5/results_file.h"
#include "harness/record/run/run_record.h"
#include "harness/record/run/summary.h"

namespace harness {

// The rows of a run, kept in memory until it is over.

/// For runs in wall-clock time, which compressing rows and writing files would hold up. Takes 48 bytes a
/// request and 72 a visit.
class RowBuffer : public RowSink {
 public:
  void requests(std::span<const RequestRow> rows) override {
    requests_.emplace_back(rows.begin(), rows.end());
  }
  void visits(std::span<const VisitRow> rows) override { visits_.emplace_back(rows.begin(), rows.end()); }

  /// Hands all rows on, in their order.
  void pass_to(RowSink& sink) const {
    for (const std::vector<RequestRow>& rows : requests_) sink.requests(rows);
    for (const std::vector<VisitRow>& rows : visits_) sink.visits(rows);
  }

 private:
  std::vector<std::vector<RequestRow>> requests_;
  std::vector<std::vector<VisitRow>> visits_;
};

/// What cells of an experiment have in common while they run.
struct CellRun {
  bool rows = true;    ///< keep one for each request and visit
  double limit_s = 0;  ///< wall time after which the cell is given up; 0: none
  std::string path;    ///< of the cell's file
  std::string mark;    ///< of what is left when the cell ends the program (crash_mark.h); empty: nothing
  /// What this process may have in memory.
  double memory_bytes = std::numeric_limits<double>::infinity();
  /// As in RunSpec; may throw to end the run.
  std::function<void(TimeNs, std::uint64_t)> progress;
  std::function<void()> check_signal{};  ///< throws when the user wants to stop; any thread
};

/// The row of a run of `spec`, which was made of `prepared`.
SummaryRow row_of(const PreparedCell& prepared, const RunSpec& spec, const RunRecord& record,
                  BoundCache& bounds);

/// Simulates the cell, or records it as skipped, or as invalid when it fails, whatever the reason: it takes
/// too long or too much memory, stands still, a bug. `bounds` remembers those of the cells before. Throws
/// EnvironmentError, also what `how.progress` throws, and InputError where a file of its input has changed.
SummaryRow run_cell(CellFactory& factory, BoundCache& bounds, const PreparedCell& prepared,
                    const CellRun& how);

/// One live cell that can run; every rank has one. The constructor makes the world, has the devices loaded
/// and, at rank 0, makes the file, so that what is wrong there shows before the ranks begin to wait for each
/// other.
class LiveCell {
 public:
  /// `devices` are the rank's, and outlive it as the transport does.
  LiveCell(CellFactory& factory, const PreparedCell& prepared, CellRun how, Transport& transport,
           CellDevices& devices);
  /// Why the cell cannot run, known on the rank whose device or model is not to be had; else empty.
  const std::string& why() const { return why_; }
  /// Runs it together with the other ranks; rank 0 writes the file and returns the row. `check_signal` as in
  /// LiveRun. The transport may carry other cells before and after. A device that fails makes it a skipped
  /// cell, or an invalid one when the load is over; otherwise throws what run_live() throws.
  std::optional<SummaryRow> run(BoundCache& bounds, const std::function<void()>& check_signal);

 private:
  /// A row of a cell that did not run, at rank 0.
  std::optional<SummaryRow> give_up(const char* why);
  /// Why the devices were not as fast as their profiles after the run, or could not be checked; else empty.
  std::string profile_fault_after(const std::function<void()>& check_signal);

  const PreparedCell& prepared_;
  CellRun how_;
  Transport& transport_;
  CellDevices& kept_;
  RunSpec spec_;
  std::string why_;
  std::unique_ptr<DeviceWorkers> devices_;      ///< with runtime = "gpu"
  std::unique_ptr<DeviceExchanges> exchanges_;  ///< where tensors go from GPU to GPU
  std::optional<CellFileWriter> writer_;        ///< at rank 0
  RowBuffer rows_;
};

}  // namespace harness

#include "harness/experiment/running/live_runner.h"

#include <optional>

#include "harness/core/exit_codes.h"
#include "harness/experiment/running/crash_mark.h"
#include "harness/experiment/running/run_cell.h"
#include "harness/live/run/live_run.h"
#include "harness/live/transport/mpi_transport.h"
#include "harness/ranks/on_all_ranks.h"
#include "harness/ranks/rank_report.h"

namespace harness {
namespace {

/// Skips the cell on all ranks if one of them lacks a device or a model.
void skip_without_devices(CellDistribution& ranks, PreparedCell& prepared, std::optional<LiveCell>& live) {
  if (!live) return;
  RankReport own;
  own.message = live->why();
  std::string why;
  const std::vector<RankReport> reports = ranks.gather(own);
  for (std::size_t rank = 0; rank < reports.size() && why.empty(); ++rank) {
    why = reports[rank].message;
    if (!why.empty() && rank > 0) why = "rank " + std::to_string(rank) + ": " + why;
  }
  if (ranks.share(why.empty() ? 0 : 1) == 0) return;
  live.reset();
  prepared.why = why;
}

/// Runs the live cell. If a rank hangs, it ends all ranks at once: that rank could not take part in an
/// orderly end.
std::optional<SummaryRow> run_together(LiveCell& live, CellRunner& cells) {
  try {
    return live.run(cells.bounds, cells.check_signal);
  } catch (const RankHung& hung) {
    cells.ranks.abort(kEnvironment, hung.what());
  }
}

}  // namespace

LiveRunner::LiveRunner(CellRunner& cells)
    : cells_(cells),
      transport_(make_mpi_transport()),
      devices_(*transport_, {cells.experiment.spec.cell_limit_s, cells.check_signal}) {}

void LiveRunner::run(const std::vector<std::uint32_t>& cells, Progress& progress) {
  cells_.ranks.watch_ranks(false);
  for (const std::uint32_t cell : cells) {
    if (cells_.experiment.factory.cells().at(cell).runtime == Runtime::kServer)
      run_on_server(cell, progress);
    else
      run_one(cell, progress);
  }
  cells_.ranks.watch_ranks(true);
}

/// Runs a cell against a server: rank 0 sends the load while the others wait.
void LiveRunner::run_on_server(std::uint32_t cell, Progress& progress) {
  on_all_ranks(cells_.ranks, cells_.experiment.spec.file, [&](RankReport&) {
    const PreparedCell prepared = cells_.begin(cell, progress);
    if (cells_.ranks.rank() != 0) return;
    const std::string mark = cells_.store.mark_path(cells_.experiment.cells[cell].input_hash);
    if (!prepared.why.empty() || !crash_in_mark(mark).empty()) return cells_.run(prepared, progress);
    cells_.finish(run_server_cell(cells_.experiment.factory, cells_.bounds, prepared,
                                  cells_.how_to_run(prepared, progress)),
                  progress);
  });
}

/// Runs a live cell on all ranks at once; a failure on one of them ends it on all.
void LiveRunner::run_one(std::uint32_t cell, Progress& progress) {
  CheckedExperiment& experiment = cells_.experiment;
  CellDistribution& ranks = cells_.ranks;
  PreparedCell prepared;
  std::optional<LiveCell> live;
  const std::string missing = experiment.why_no_devices_for(cell);
  const bool is_without = ranks.share(missing.empty() ? 0 : 1) != 0;
  const std::string mark = cells_.store.mark_path(experiment.cells[cell].input_hash);
  const bool has_crashed = ranks.share(crash_in_mark(mark).empty() ? 0 : 1) != 0;
  on_all_ranks(ranks, experiment.spec.file, [&](RankReport&) {
    prepared = cells_.begin(cell, progress);
    if (is_without) prepared.why = missing.empty() ? "rank 0 knows" : missing;
    if (prepared.why.empty() && !has_crashed)
      live.emplace(experiment.factory, prepared, cells_.how_to_run(prepared, progress), *transport_,
                   devices_);
  });
  skip_without_devices(ranks, prepared, live);
  if (live && prepared.cell.runtime == Runtime::kGpu)
    progress.note_loading(longest_loading(devices_.loading(), ranks));
  on_all_ranks(ranks, experiment.spec.file, [&](RankReport&) {
    if (!live) {
      if (ranks.rank() == 0) cells_.run(prepared, progress);
    } else if (const std::optional<SummaryRow> row = run_together(*live, cells_)) {
      cells_.finish(*row, progress);
    }
  });
}

}  // namespace harness

#include "harness/experiment/running/cell_runner.h"

#include <optional>

#include "harness/ranks/on_all_ranks.h"
#include "harness/ranks/rank_report.h"

namespace harness {
namespace {

struct WaitsNoMore {
  CellDistribution& ranks;
  ~WaitsNoMore() { ranks.while_waiting({}); }
};

}  // namespace

PreparedCell CellRunner::begin(std::uint32_t cell, Progress& progress) {
  check_signal();
  PreparedCell prepared = experiment.factory.prepare(experiment.factory.cells().at(cell));
  progress.begin(prepared.identity, ns_to_ms(prepared.slo_ns), prepared.duration_s);
  return prepared;
}

CellRun CellRunner::how_to_run(const PreparedCell& prepared, Progress& progress) {
  CellRun how;
  how.rows = experiment.spec.rows.has(prepared.cell.index);
  how.limit_s = experiment.spec.cell_limit_s;
  how.path = store.cell_path(prepared.identity.input_hash);
  how.mark = store.mark_path(prepared.identity.input_hash);
  how.memory_bytes = experiment.needs.memory_bytes();
  how.check_signal = check_signal;
  how.progress = [this, &progress](TimeNs now, std::uint64_t sent) {
    check_signal();
    ranks.serve();
    progress.update(now, sent);
  };
  return how;
}

void CellRunner::run(const PreparedCell& prepared, Progress& progress) {
  finish(run_cell(experiment.factory, bounds, prepared, how_to_run(prepared, progress)), progress);
}

void CellRunner::finish(const SummaryRow& row, Progress& progress) {
  ranks.finish_one(static_cast<std::int64_t>(row.sent), row.status != "ok");
  progress.finish(row);
}

void CellRunner::run_dealt(const std::vector<std::uint32_t>& cells, Progress& progress) {
  ranks.while_waiting([&progress] { progress.wait(); });
  const WaitsNoMore end{ranks};
  on_all_ranks(ranks, experiment.spec.file, [&](RankReport&) {
    try {
      while (const std::optional<std::size_t> place = ranks.next())
        run(begin(cells[*place], progress), progress);
    } catch (...) {
      ranks.stop();
      throw;
    }
  });
}

}  // namespace harness

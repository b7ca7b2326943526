#include "harness/views/cell_times.h"

#include <algorithm>

#include "harness/experiment/storing/recorded_cell.h"

namespace harness {

CellTimes cell_times(const std::string& path, const CellContents& cell, const std::string& folder,
                     const std::vector<std::uint64_t>& requests) {
  CellTimes times;
  RunRecord record = cell.record;
  record.shares_workers = !record.groups.empty();
  try {
    RecordedCell recorded(path, cell.summary.cell.index, cell.summary.cell.effective_toml, folder);
    const PreparedCell prepared = recorded.prepare();
    if (!prepared.why.empty())
      throw input_error({path, 0, ""}, prepared.why, "a cell that this build can run");
    RunSpec spec = recorded.make_run(prepared);
    const auto is_beyond = [&record](const PlanRow& row) { return row.workers > record.workers.size(); };
    if (spec.profiles.size() != record.modules.size() ||
        std::any_of(record.plans.begin(), record.plans.end(), is_beyond))
      throw input_error({path, 0, ""}, "another pipeline or other workers", "those of the run");
    times.least.emplace(spec, record);
    times.may_be_shorter = spec.world.jitter != Jitter::kOff || is_live(prepared);
    times.offline = offline_answer(spec, record, requests);
  } catch (const InputError& error) {
    times.why_none = error.what();
    times.offline.why_none = "the cell cannot be made again here";
  }
  return times;
}

}  // namespace harness

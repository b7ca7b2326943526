#include "harness/record/analysis/workload_cells.h"

#include <algorithm>

namespace harness {
namespace {

template <class List, class Match, class Make>
auto& found_or_made(List& list, Match match, Make make) {
  const auto found = std::find_if(list.begin(), list.end(), match);
  return found != list.end() ? *found : list.emplace_back(make());
}

}  // namespace

const SummaryRow* with_seed(const SeriesCells& series, std::uint64_t seed) {
  for (const SummaryRow* row : series.rows) {
    if (row->cell.seed == seed) return row;
  }
  return nullptr;
}

const SummaryRow& WorkloadCells::first() const { return *series.front().rows.front(); }

const SeriesCells* WorkloadCells::find(const std::string& name) const {
  const auto found = std::find_if(series.begin(), series.end(),
                                  [&](const SeriesCells& candidate) { return candidate.name == name; });
  return found == series.end() ? nullptr : &*found;
}

std::vector<WorkloadCells> by_workload(std::span<const SummaryRow> rows) {
  std::vector<WorkloadCells> result;
  for (const SummaryRow& row : rows) {
    if (row.status != "ok") continue;
    WorkloadCells& cells = found_or_made(
        result, [&](const WorkloadCells& candidate) { return candidate.workload == row.cell.workload; },
        [&] {
          return WorkloadCells{row.cell.workload, {}};
        });
    SeriesCells& series = found_or_made(
        cells.series, [&](const SeriesCells& candidate) { return candidate.name == row.cell.series; },
        [&] {
          return SeriesCells{row.cell.series, {}};
        });
    if (with_seed(series, row.cell.seed) == nullptr) series.rows.push_back(&row);
  }
  return result;
}

std::vector<std::string> series_names(const std::vector<WorkloadCells>& workloads) {
  std::vector<std::string> names;
  for (const WorkloadCells& cells : workloads) {
    for (const SeriesCells& series : cells.series) {
      if (std::find(names.begin(), names.end(), series.name) == names.end()) names.push_back(series.name);
    }
  }
  return names;
}

}  // namespace harness

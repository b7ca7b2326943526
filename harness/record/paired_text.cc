#include "harness/record/paired_text.h"

#include <algorithm>

namespace harness {
namespace {

constexpr const char* kBoundShare = "bound_share";

bool any_parameters(const std::vector<WorkloadCells>& workloads) {
  return std::any_of(workloads.begin(), workloads.end(),
                     [](const WorkloadCells& cells) { return !cells.workload.parameters.empty(); });
}

bool several_runtimes(const std::vector<WorkloadCells>& workloads) {
  return std::any_of(workloads.begin(), workloads.end(), [&workloads](const WorkloadCells& cells) {
    return cells.workload.runtime != workloads.front().workload.runtime;
  });
}

void add_spread(TextTable& table, const std::string& name, const Spread& spread) {
  table.add({name}, spread.mean);
  table.add({name + "_95"}, spread.half_width);
}

}  // namespace

TextTable paired_table(const std::vector<WorkloadCells>& workloads, const std::string& metric,
                       const std::string& baseline) {
  const bool parameters = any_parameters(workloads);
  const bool runtimes = several_runtimes(workloads);
  TextTable table;
  for (const WorkloadCells& cells : workloads) {
    const SeriesCells* base = cells.find(baseline);
    for (const SeriesCells& series : cells.series) {
      const Spread own = spread_over_seeds(series, metric);
      const PairedSpread paired = base == nullptr ? PairedSpread() : paired_over_seeds(series, *base, metric);
      table.add_row();
      table.add({"pipeline"}, cells.workload.pipeline);
      table.add({"trace"}, cells.workload.trace);
      table.add({"load"}, cells.workload.load);
      table.add({"slo_ms"}, cells.workload.slo_ms);
      if (runtimes) table.add({"runtime"}, cells.workload.runtime);
      if (parameters) table.add({"parameters"}, cells.workload.parameters);
      table.add({"series"}, series.name);
      table.add({"seeds"}, own.n);
      add_spread(table, metric, own);
      table.add({"pairs"}, paired.difference.n);
      add_spread(table, "difference", paired.difference);
      add_spread(table, "ratio", paired.ratio);
      if (metric != kBoundShare) table.add({kBoundShare}, spread_over_seeds(series, kBoundShare).mean);
    }
  }
  return table;
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

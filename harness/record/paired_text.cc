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

std::vector<std::string> columns_of(const std::string& metric, bool runtimes, bool parameters) {
  std::vector<std::string> columns = {"pipeline", "trace", "load", "slo_ms"};
  if (runtimes) columns.emplace_back("runtime");
  if (parameters) columns.emplace_back("parameters");
  for (const std::string& name :
       {std::string("series"), std::string("seeds"), metric, metric + "_95", std::string("pairs"),
        std::string("difference"), std::string("difference_95"), std::string("ratio"),
        std::string("ratio_95")}) {
    columns.push_back(name);
  }
  if (metric != kBoundShare) columns.emplace_back(kBoundShare);
  return columns;
}

}  // namespace

TextTable paired_table(const std::vector<WorkloadCells>& workloads, const std::string& metric,
                       const std::string& baseline, bool full_precision) {
  const bool parameters = any_parameters(workloads);
  const bool runtimes = several_runtimes(workloads);
  TextTable table{columns_of(metric, runtimes, parameters), {}};
  for (const WorkloadCells& cells : workloads) {
    const SeriesCells* base = cells.find(baseline);
    for (const SeriesCells& series : cells.series) {
      TextRow row = {{cells.workload.pipeline}, {cells.workload.trace}};
      const auto number = [&](double value) { row.push_back(number_cell(value, full_precision)); };
      const auto spread = [&](const Spread& values) {
        number(values.mean);
        number(values.half_width);
      };
      number(cells.workload.load);
      number(cells.workload.slo_ms);
      if (runtimes) row.push_back({cells.workload.runtime});
      if (parameters) row.push_back({cells.workload.parameters});
      row.push_back({series.name});
      const Spread own = spread_over_seeds(series, metric);
      number(static_cast<double>(own.n));
      spread(own);
      const PairedSpread paired = base == nullptr ? PairedSpread() : paired_over_seeds(series, *base, metric);
      number(static_cast<double>(paired.difference.n));
      spread(paired.difference);
      spread(paired.ratio);
      if (metric != kBoundShare) number(spread_over_seeds(series, kBoundShare).mean);
      table.rows.push_back(std::move(row));
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
